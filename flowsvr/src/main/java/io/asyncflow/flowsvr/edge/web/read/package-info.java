/** Reads and describes the fields of a request, from JSON, a form or a query string. */
package io.asyncflow.flowsvr.edge.web.read;
