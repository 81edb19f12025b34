/** A duty of schedules: an audit of what is late. */
package io.asyncflow.flowsvr.compose.schedule.upkeep;
