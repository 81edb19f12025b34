/** Periodic duties of a server. Features contribute them; governance runs them. */
@ApplicationModule(type = ApplicationModule.Type.OPEN)
package io.asyncflow.flowsvr.base.duty;

import org.springframework.modulith.ApplicationModule;
