/** The calls about events: a stream of them, and pages. */
package io.asyncflow.flowsvr.event;
