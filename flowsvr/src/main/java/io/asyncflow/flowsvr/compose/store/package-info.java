/**
 * The context store: objects too large for a row, which pass through this server from one worker to
 * the next.
 *
 * <pre>
 *   worker A --PUT {taskId}/{stage}/{epoch}/{name}--> server --> directory or bucket
 *   worker A --report, with the key in context or result--> row
 *   worker B --GET--> server
 * </pre>
 *
 * <p><b>Write permission</b>: a hold may write as long as it may report, by the same check of the
 * row. So committed objects are never overwritten, and uploads of a stale worker are refused or
 * never referred to.
 *
 * <p><b>All or nothing</b>: an object is written to a separate directory, checked against its
 * length and digest, synced, and renamed. An interrupted upload leaves nothing readable.
 *
 * <p><b>Rows refer to objects, not the reverse.</b> An upload and the report that names it are two
 * steps, so the store may contain objects that no row names, but a row never names a missing
 * object.
 */
package io.asyncflow.flowsvr.compose.store;
