/**
 * Runs held tasks: threads and slots, their queue, the context of handlers, and the deadline watch.
 */
package io.asyncflow.worker.internal.execute;
