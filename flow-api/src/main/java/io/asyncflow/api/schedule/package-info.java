/** The calls about schedules, which create a task or a job at each of their fire times. */
package io.asyncflow.api.schedule;
