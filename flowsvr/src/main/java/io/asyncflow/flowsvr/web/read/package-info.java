/** How the fields of a request are read, from JSON, a form or a query, and described. */
package io.asyncflow.flowsvr.web.read;
