/** Schedules: when they fire, and what became of it. */
package io.asyncflow.console.page.schedule;
