/** Holds: requests for due tasks, which wait here, without a thread, until something is due. */
package io.asyncflow.flowsvr.hold;
