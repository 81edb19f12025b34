/** Attempts that failed, as counts of those that are alike. */
package io.asyncflow.flowsvr.base.pulse.failure;
