/** What is read of tasks without changing them: one task, lists by type and by user, archives. */
package io.asyncflow.flowsvr.queue.query;
