/**
 * The worker as a whole: puts its rooms together, starts and stops them, and tells flowsvr how it
 * is. Not an API: everything here may change in any release.
 *
 * <p>Each room uses only rooms that stand below it, and {@code spool} and {@code run} do not know
 * each other:
 *
 * <pre>
 *   poll       asks for tasks
 *   execute    runs what is held
 *   report     says how runs ended
 *   spool      keeps on disk what found no server
 *   run        one held task
 *   stage      what this worker can run
 *   loop       turns, waits, time, the link to flowsvr
 * </pre>
 *
 * <p>What runs where, one thread a line unless it says otherwise:
 *
 * <pre>
 *   TypeSettingsFeed   reads the types' configuration again and again
 *   TypePoller         one a type: holds tasks, hands them to the queue of its type
 *   RunPool            N threads a type: take a run from the queue, call its handler
 *   ReportSender       sends what the runs came to, all that is there at once; keeps on disk what fails
 *   ReportSender       a second loop: stores what a report names before it is sent, one after another
 *   HeartbeatSender    renews every lease held, in one request; tells flowsvr how this worker is
 *   DeadlineWatch      local time only: interrupts what has lasted too long, gives back what waits too long
 *   SlotPool           ends the quarantine of a place that lacked resources
 *   Drain              stops this worker when flowsvr drains it
 *   WorkerLoops        takes over what workers that have ended left in the spool, once a minute
 * </pre>
 *
 * <p>A held task is a {@link io.asyncflow.worker.internal.run.Run}; it is in {@link
 * io.asyncflow.worker.internal.run.HeldRuns} from the hold until its report is settled, and that is
 * exactly as long as its lease is renewed. Three state machines, {@link
 * io.asyncflow.worker.internal.poll.PollerState}, {@link io.asyncflow.worker.internal.run.RunState}
 * and {@link io.asyncflow.worker.internal.report.ReportState}, say what may follow what;
 * docs/worker-state-machines.md draws them.
 *
 * <p>Nothing here depends on Spring.
 */
package io.asyncflow.worker.internal;
