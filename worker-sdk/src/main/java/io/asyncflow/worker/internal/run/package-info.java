/**
 * One held task, from the hold to its settled report: its state, its lease, its handler's thread,
 * and the set of all held tasks.
 */
package io.asyncflow.worker.internal.run;
