/**
 * Finds tasks among many, at a bounded cost.
 *
 * <p>What is asked for is a {@code TaskFilter}, read from fields or from the words of {@code q}
 * ({@code SearchWords}, {@code SearchTerms}). {@code SearchPlan} chooses what the search is driven
 * by: named ids, the children of a job, or ranges of one index in many tables, each in the same
 * order. {@code RangeMerge} goes through the ranges in that order, entry by entry, as they are read
 * in growing pieces. Each entry tells whether its task fits. A page ends when it is full, when it
 * has looked at enough entries, or when its time is over; its cursor is the last entry that it
 * looked at, so the next page goes on there.
 *
 * <p>Nothing here counts tasks, skips rows by OFFSET, or has an index of its own. All statements
 * use the connections of {@link io.asyncflow.flowsvr.base.system.db.ReadDatabase}.
 */
package io.asyncflow.flowsvr.operate.search;
