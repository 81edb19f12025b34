/** What every feature stands on and none owns: the node and its clocks, events, meters, outages. */
@ApplicationModule(type = ApplicationModule.Type.OPEN)
package io.asyncflow.flowsvr.system;

import org.springframework.modulith.ApplicationModule;
