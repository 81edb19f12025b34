/**
 * Leases: who holds a task and how long, and which writes of a holder are accepted.
 *
 * <pre>
 *              hold: epoch + 1, lease          report of this epoch
 *   WAITING ---------------------> EXECUTING -----------------------> SUCCESS / FAILED
 *      ^                             |  | |
 *      |  no heartbeat: worker lost  |  | |  next stage, retry, snooze, release
 *      |  heartbeats until hard end: |  | +-------------------------> WAITING
 *      |  timed out, a retry is left |  |
 *      +-----------------------------+  |  timed out, no retry left; lost too often
 *                                       +---------------------------> FAILED / POISON
 * </pre>
 *
 * <p><b>The lease</b> ends at min(now + lease_seconds, hold + max_processing_time) on the
 * database's clock; heartbeats extend it. A worker receives the duration of its lease, never the
 * time of its end, because worker clocks are not trusted. It stops trusting a lease before the
 * database ends it.
 *
 * <p><b>The epoch</b> counts the holds of a task and is the fencing token: every write of a holder
 * names it, and a write with an older epoch, or one that has reported, changes no row. So a worker
 * that was suspended longer than its lease can do no harm, and a late report is accepted as long as
 * the task has not been held again. {@link io.asyncflow.rules.HoldFence} has this rule, for reports
 * and for all other writes of a holder.
 *
 * <p><b>The end of a hold</b>, by a report or by the sweep, is decided in one place, {@link
 * io.asyncflow.rules.HoldEnd}.
 */
package io.asyncflow.flowsvr.queue.lease;
