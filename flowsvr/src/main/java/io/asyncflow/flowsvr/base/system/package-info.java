/** The base of all features: the node and its clocks, events, metrics, outages. */
@ApplicationModule(type = ApplicationModule.Type.OPEN)
package io.asyncflow.flowsvr.base.system;

import org.springframework.modulith.ApplicationModule;
