/**
 * Asks flowsvr for tasks: how many, of which stages, when and under which lock; and queues or
 * releases the tasks of the answers.
 */
package io.asyncflow.worker.internal.poll;
