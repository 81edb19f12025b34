/** The calls that begin and end sessions. What a session is stands in {@code access.session}. */
package io.asyncflow.flowsvr.edge.session;
