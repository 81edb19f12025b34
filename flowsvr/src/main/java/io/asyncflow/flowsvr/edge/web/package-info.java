/**
 * Reads requests and writes answers. This package wires the subpackages. Every feature uses it; it
 * uses no feature.
 */
@ApplicationModule(type = ApplicationModule.Type.OPEN)
package io.asyncflow.flowsvr.edge.web;

import org.springframework.modulith.ApplicationModule;
