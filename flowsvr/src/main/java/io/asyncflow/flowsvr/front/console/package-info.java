/**
 * Lets the console's pages make the calls of the API, without a detour over HTTP. A call enters the
 * same controller method as a request, in the name of the request's caller, so the door around each
 * {@link io.asyncflow.flowsvr.edge.access.Needs} method and the scope that the method holds its
 * caller to are the console's, too.
 */
package io.asyncflow.flowsvr.front.console;
