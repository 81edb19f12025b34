/**
 * How requests are read and answered: fields, envelope, errors, access. Used by every feature, uses
 * none.
 */
@ApplicationModule(type = ApplicationModule.Type.OPEN)
package io.asyncflow.flowsvr.web;

import org.springframework.modulith.ApplicationModule;
