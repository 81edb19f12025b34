/** Creates of tasks: one call, all or none, with idempotency keys, grouped into common commits. */
package io.asyncflow.flowsvr.queue.create;
