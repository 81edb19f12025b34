/** Filters of every request and answer: trace id, headers, and the order of all filters. */
package io.asyncflow.flowsvr.edge.web.filter;
