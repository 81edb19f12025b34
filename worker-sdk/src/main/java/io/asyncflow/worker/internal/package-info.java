/**
 * The worker as a whole: wires its packages, starts and stops them, and sends heartbeats. Not an
 * API: everything here may change in any release.
 *
 * <p>Each package uses only packages below it. {@code spool} and {@code run} are independent of
 * each other, {@code schedule} uses {@code loop} alone, and {@code json} none:
 *
 * <pre>
 *   poll       asks for tasks
 *   execute    runs held tasks
 *   report     reports how runs ended
 *   spool      keeps undelivered reports and objects on disk
 *   run        one held task
 *   schedule   the schedules that this worker saves
 *   stage      the stages that this worker can run
 *   json       contexts and results as JSON
 *   loop       turns, waits, time, the link to flowsvr
 * </pre>
 *
 * <p>The threads, one for each line unless stated otherwise:
 *
 * <pre>
 *   TypeSettingsFeed   reads the types' configuration periodically
 *   ScheduleSaver      saves the worker's schedules, and ends
 *   TypePoller         one for each type: holds tasks, adds them to the queue of its type
 *   RunPool            N threads for each type: take a run from the queue, call its handler
 *   ReportSender       sends all waiting reports at once; keeps undelivered ones on disk
 *   ReportSender       a second loop: stores objects of reports before these are sent, one by one
 *   HeartbeatSender    renews all leases in one request; describes this worker to flowsvr
 *   DeadlineWatch      local time only: interrupts overdue runs, releases runs that wait too long
 *   SlotPool           ends the quarantine of a place that lacked resources
 *   Drain              stops this worker when flowsvr drains it
 *   WorkerLoops        adopts spooled reports of workers that have ended, once a minute
 * </pre>
 *
 * <p>A held task is a {@link io.asyncflow.worker.internal.run.Run}; it is in {@link
 * io.asyncflow.worker.internal.run.HeldRuns} from the hold until its report is settled, and its
 * lease is renewed exactly that long. Three state machines, {@link
 * io.asyncflow.worker.internal.poll.PollerState}, {@link io.asyncflow.worker.internal.run.RunState}
 * and {@link io.asyncflow.worker.internal.report.ReportState}, define the permitted transitions;
 * docs/worker-state-machines.md draws them.
 *
 * <p>A handler's thread learns that its lease is lost in this order: {@code HeartbeatSender.apply}
 * (the server says so) or {@code DeadlineWatch.check} (no renewal in time) calls {@code
 * RunEnds.lost}, which calls {@code Run.drop}, which calls {@code HandlerThread.stop}; {@code
 * HandlerThread.interruptIfAllStopped} interrupts the thread if no other run of its batch goes on.
 * A handler can also poll {@code StageContext.cancelled} ({@code RunContext}).
 *
 * <p>Nothing here depends on Spring.
 */
package io.asyncflow.worker.internal;
