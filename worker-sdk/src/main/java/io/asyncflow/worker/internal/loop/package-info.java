/**
 * What every loop of a worker is built from: turns and waits, the clock, the link to flowsvr, and
 * tables of transitions. It knows nothing of tasks.
 */
package io.asyncflow.worker.internal.loop;
