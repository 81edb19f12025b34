/**
 * Runs what is held: the threads and slots, the queue for them, what a handler sees, and the watch
 * over its deadline.
 */
package io.asyncflow.worker.internal.execute;
