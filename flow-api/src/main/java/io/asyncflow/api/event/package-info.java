/** Events: what happens to tasks, jobs and schedules, and the client that follows them. */
package io.asyncflow.api.event;
