/** The rows of schedules, of their fires by day, and of the stretches that made nothing. */
package io.asyncflow.flowsvr.compose.schedule.core;
