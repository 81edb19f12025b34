/**
 * The record of acts: who did what by hand, and what it changed.
 *
 * <p>Every feature hands its acts to {@link io.asyncflow.flowsvr.edge.act.Acts} in the transaction
 * that does them. The actor is taken from the request, never from what the caller says of itself;
 * that is recorded beside it as the operator. {@code Detail} keeps contents of tasks and secrets
 * out of the record. The record is listed, chained and deleted by the feature {@code audit}.
 */
package io.asyncflow.flowsvr.edge.act;
