/**
 * How requests are read and answered. The parts meet here; each room beneath has one purpose. Used
 * by every feature, uses none.
 */
@ApplicationModule(type = ApplicationModule.Type.OPEN)
package io.asyncflow.flowsvr.web;

import org.springframework.modulith.ApplicationModule;
