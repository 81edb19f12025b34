/**
 * Limits of concurrency: threads, connections, waiting requests, lists; and callers that have
 * disconnected.
 */
package io.asyncflow.flowsvr.web.load;
