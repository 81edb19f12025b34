/**
 * The log of events: one row a transition, committed with it.
 *
 * <p>A transition adds its events to the {@link io.asyncflow.flowsvr.task.event.log.EventLog} while
 * its transaction runs, and the log writes all of them with one INSERT just before the commit. So
 * the ids of a day are given out in the order of commits, but for moments; an id stays unused only
 * if a transaction is rolled back after its last statement; and two events of one task, which its
 * row's lock keeps apart, have ids in their order.
 */
@NamedInterface("log")
package io.asyncflow.flowsvr.task.event.log;

import org.springframework.modulith.NamedInterface;
