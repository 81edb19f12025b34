/**
 * Limits of concurrency: threads, connections, waiting requests; and callers that have
 * disconnected.
 */
package io.asyncflow.flowsvr.edge.web.load;
