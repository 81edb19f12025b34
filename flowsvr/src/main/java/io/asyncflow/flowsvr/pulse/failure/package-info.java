/** Attempts that failed, as counts of those that are alike. */
package io.asyncflow.flowsvr.pulse.failure;
