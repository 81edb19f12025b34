/**
 * The pulse of the tasks: how many were created, held and ended, how long runs and waits took, and
 * what failed; kept for people, in {@code t_metric} and {@code t_failure_group}. Nothing is decided
 * by it.
 *
 * <p>{@link io.asyncflow.flowsvr.base.pulse.TaskPulse} counts in memory, after the commits; a count
 * is two additions without a lock: one to a meter of {@code PulseMeters}, which Prometheus sees,
 * and one to what is to be written. {@code MetricWriter} writes what has changed every ten seconds,
 * {@code FailureNotes} every second. Both write the rows of this server alone, with absolute
 * values: a write whose outcome is unknown is repeated, and no server waits for another one. A
 * server on which nothing happens writes nothing; a crash loses the last seconds.
 */
package io.asyncflow.flowsvr.base.pulse;
