/**
 * Access keys as a server in mode {@code keys} knows them. The calls that make and end them are in
 * the feature {@code key}.
 *
 * <p>No request asks the database. {@link io.asyncflow.flowsvr.edge.access.key.KnownKeys} keeps all
 * keys in an immutable {@code KeySnapshot}. One small read each three seconds tells whether another
 * server has changed a key; with Redis the other server says so at once. While the database is away
 * the snapshot stays. A key that is unknown, and well formed, is looked for in between, at most
 * once a second, so that a new key works everywhere from the start.
 *
 * <p>The snapshot also has the callers that are denied although their tokens are good.
 *
 * <p>A row counts only under a good seal ({@link io.asyncflow.rules.access.KeySeals}). The calls
 * under way of a key that has ended are ended by {@link
 * io.asyncflow.flowsvr.edge.web.load.OpenCalls}.
 */
@NamedInterface("key")
package io.asyncflow.flowsvr.edge.access.key;

import org.springframework.modulith.NamedInterface;
