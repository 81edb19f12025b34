/**
 * Numbers for people, as the API shows them: what waits and runs now, what happened in the last
 * days, and what failed. Read over connections of their own; nothing is decided by them.
 *
 * <p>Each call reads a bounded number of index entries: no number is counted over a task table.
 * {@code stats.depth} tells how many tasks wait, {@code stats.present} makes the overview and the
 * stages of a type of it, {@code stats.history} reads what {@link io.asyncflow.flowsvr.base.pulse}
 * has written.
 */
package io.asyncflow.flowsvr.operate.stats;
