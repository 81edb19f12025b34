/** Schedules as text for a terminal. */
package io.asyncflow.dev.schedule;
