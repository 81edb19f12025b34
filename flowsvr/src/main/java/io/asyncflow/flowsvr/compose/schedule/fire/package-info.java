/**
 * The fires of schedules: the loop that finds what has come, the transaction that makes fires once,
 * and what the ends of runs change.
 *
 * <p>The path: {@code FireLoop} looks at the schedules of this server's slices, {@code LastRuns}
 * finds out which of their last runs live, {@code FirePlan} of flow-rules decides, {@code
 * FireMaker} hands batches of plans to a {@code FireTransaction}, which triggers and backfills
 * call, too. A plan that another server has overtaken writes nothing: the row's fence guards it,
 * and a fire has one row. Slices save work; nothing here relies on them.
 *
 * <p>Whatever moves a schedule computes a {@code FirePosition} of flow-rules, and {@code
 * ScheduleStore.move} writes it.
 */
package io.asyncflow.flowsvr.compose.schedule.fire;
