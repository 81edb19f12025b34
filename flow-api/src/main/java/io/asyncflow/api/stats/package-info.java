/** Numbers about the work: depths, rates, latencies and failures. Nothing is decided by them. */
package io.asyncflow.api.stats;
