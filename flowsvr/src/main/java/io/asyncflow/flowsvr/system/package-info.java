/** What every feature stands on and none owns: the clock, transactions, Redis, background loops. */
@ApplicationModule(type = ApplicationModule.Type.OPEN)
package io.asyncflow.flowsvr.system;

import org.springframework.modulith.ApplicationModule;
