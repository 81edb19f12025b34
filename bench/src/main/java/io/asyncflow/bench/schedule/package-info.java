/**
 * Schedules: what keeps them, each a {@link io.asyncflow.bench.schedule.ScheduleSystem}, and what
 * is done with them: fires on one common second, and very many schedules that are not due.
 */
package io.asyncflow.bench.schedule;
