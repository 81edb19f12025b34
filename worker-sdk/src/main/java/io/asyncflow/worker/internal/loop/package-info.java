/**
 * The building blocks of a worker's loops: turns and waits, the clock, the link to flowsvr, and
 * tables of transitions. Independent of tasks.
 */
package io.asyncflow.worker.internal.loop;
