/**
 * Who holds a task, for how long, and what counts of what a holder says.
 *
 * <pre>
 *              hold: epoch + 1, lease          report of this epoch
 *   WAITING ---------------------> EXECUTING -----------------------> SUCCESS / FAILED
 *      ^                             |    |    (next stage, retry,
 *      |  no beat: worker lost       |    |     snooze, release)
 *      |  beats, but time is over    |    |
 *      +-----------------------------+    +-------------------------> WAITING
 * </pre>
 *
 * <p><b>The lease</b> ends at min(now + lease_seconds, hold + max_processing_time) on the
 * database's clock; heartbeats move it. A worker is told how long it lasts and never when it ends,
 * because its clock is its own affair. It stops trusting a lease before the database ends it.
 *
 * <p><b>The epoch</b> counts the holds of a task and is what fences: every write after a hold names
 * it, and a write that names another one, or one that has reported, touches no row. That is why a
 * worker that slept through its lease can do no harm, and why a report may be late: as long as
 * nobody has held the task since, what it says is still true. {@link io.asyncflow.rules.HoldFence}
 * is that rule, for reports and for whatever else only a holder may write.
 *
 * <p><b>The end of a hold</b> is decided in one place, {@link io.asyncflow.rules.HoldEnd}, whoever
 * ends it.
 */
package io.asyncflow.flowsvr.lease;
