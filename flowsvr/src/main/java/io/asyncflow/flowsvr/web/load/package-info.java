/**
 * How much at once: threads, connections, waiting requests, lists; and what happens to callers that
 * are gone.
 */
package io.asyncflow.flowsvr.web.load;
