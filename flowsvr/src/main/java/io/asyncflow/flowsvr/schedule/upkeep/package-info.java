/** The duties of schedules: the tables of their history, and an audit of what is late. */
package io.asyncflow.flowsvr.schedule.upkeep;
