/** The duties of schedules: the tables of their history, and an audit of what a kill left. */
package io.asyncflow.flowsvr.schedule.upkeep;
