/** Metrics whose values are made when they are read, and the bound of their series. */
package io.asyncflow.flowsvr.base.system.metric;
