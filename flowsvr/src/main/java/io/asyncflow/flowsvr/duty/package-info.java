/** Periodic duties of a server. Features contribute them; governance runs them. */
@ApplicationModule(type = ApplicationModule.Type.OPEN)
package io.asyncflow.flowsvr.duty;

import org.springframework.modulith.ApplicationModule;
