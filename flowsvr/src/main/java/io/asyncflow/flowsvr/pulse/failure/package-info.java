/** Attempts that failed: as rows, and as counts of those that are alike. */
package io.asyncflow.flowsvr.pulse.failure;
