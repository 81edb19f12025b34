/** The format of error answers, and the mapping of failures to errors. */
package io.asyncflow.flowsvr.edge.web.error;
