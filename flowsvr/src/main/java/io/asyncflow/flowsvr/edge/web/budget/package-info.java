/**
 * What the server has for all requests together, and each caller a part of: threads, bytes of
 * bodies, lists, transfers. And how long a thread waits for its client.
 */
package io.asyncflow.flowsvr.edge.web.budget;
