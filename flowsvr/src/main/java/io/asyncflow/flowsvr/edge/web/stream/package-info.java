/** Server-sent events to clients that stay connected. */
package io.asyncflow.flowsvr.edge.web.stream;
