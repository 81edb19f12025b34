/**
 * The fires of schedules: the loop that finds what has come, the transaction that makes fires once,
 * and what the ends of runs change.
 *
 * <p>The path: {@code FireLoop} looks at the schedules of this server's slices, {@code LastRuns}
 * finds out which of their last runs live, {@code FirePlan} of flow-rules decides, {@code
 * FireMaker} writes by a {@code FireTransaction}, as triggers and backfills do. A plan that another
 * server has overtaken writes nothing: the row's fence guards it, and a fire has one row. Slices
 * save work; nothing here relies on them.
 */
package io.asyncflow.flowsvr.schedule.fire;
