/**
 * Asks flowsvr for tasks: how many and of which stages, when, under which lock, and which tasks of
 * the answer are taken.
 */
package io.asyncflow.worker.internal.poll;
