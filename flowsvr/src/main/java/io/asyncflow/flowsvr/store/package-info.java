/**
 * What is too large for a row, and travels through this server from one worker to the next.
 *
 * <pre>
 *   worker A --PUT {taskId}/{stage}/{epoch}/{name}--> server --> directory or bucket
 *   worker A --report, with the key in context or result--> row
 *   worker B --GET--> server
 * </pre>
 *
 * <p><b>Who may write</b>: the hold that may report, and as long as it may, by the same look at the
 * row. So what was committed is overwritten by nobody, and what a stale worker uploads goes nowhere
 * or is referred to by nobody.
 *
 * <p><b>All or nothing</b>: an object is written beside the store, counted, compared with its
 * digest, synced, and renamed. A broken-off upload leaves nothing that could be read.
 *
 * <p><b>The row refers, the store does not know.</b> An upload and the report that names it are two
 * steps, so the store may hold what no row names, and never the other way round.
 */
package io.asyncflow.flowsvr.store;
