/** The schedules that a worker saves when it starts. */
package io.asyncflow.worker.internal.schedule;
