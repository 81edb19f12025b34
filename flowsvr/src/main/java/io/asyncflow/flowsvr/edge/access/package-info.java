/**
 * Access: which caller may do what. Everything that is not granted is denied.
 *
 * <p>Each controller method names in {@link io.asyncflow.flowsvr.edge.access.Needs} the {@link
 * io.asyncflow.flowsvr.edge.access.Verb} that it needs. A {@link
 * io.asyncflow.flowsvr.edge.access.Caller} has verbs by its {@link
 * io.asyncflow.flowsvr.edge.access.Role}s, and a {@link io.asyncflow.flowsvr.edge.access.Scope}
 * that says on which types, stages, users and workers they act. {@link
 * io.asyncflow.flowsvr.edge.access.Callers} finds the caller of a request.
 *
 * <p>Every feature uses this package; the HTTP side of it is in {@code access.chain}.
 */
package io.asyncflow.flowsvr.edge.access;
