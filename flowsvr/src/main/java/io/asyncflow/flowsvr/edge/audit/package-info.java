/**
 * The record of acts, as it is read and kept. It is written by {@link
 * io.asyncflow.flowsvr.edge.act}.
 *
 * <p>{@link io.asyncflow.flowsvr.edge.audit.ActChaining} chains the acts, so that {@code
 * ./asyncflow audit verify} finds one that was changed, added, deleted or moved by SQL, and deletes
 * the oldest.
 */
package io.asyncflow.flowsvr.edge.audit;
