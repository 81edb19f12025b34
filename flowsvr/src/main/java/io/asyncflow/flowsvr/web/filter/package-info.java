/**
 * What every request and every answer passes first: the trace, the headers, the order of filters.
 */
package io.asyncflow.flowsvr.web.filter;
