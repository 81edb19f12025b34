/**
 * One held task, from the hold to its settled report: its state, its lease, the thread of its
 * handler, and the set of all that are held.
 */
package io.asyncflow.worker.internal.run;
