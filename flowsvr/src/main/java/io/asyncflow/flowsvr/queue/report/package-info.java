/** Reports of workers on their tasks, and the partial updates of old clients without leases. */
package io.asyncflow.flowsvr.queue.report;
