/**
 * What only flowsvr can do: holds beside a backlog or an old snapshot, lists and other requests,
 * calls beside a drop, idle workers, many types on two servers, the soak; and what a server does
 * within one request.
 */
package io.asyncflow.bench.flow;
