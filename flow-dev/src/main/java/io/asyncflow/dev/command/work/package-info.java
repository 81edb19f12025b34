/**
 * Commands about the work of a server somewhere: tasks, jobs, bulks, schedules, and what happens.
 */
package io.asyncflow.dev.command.work;
