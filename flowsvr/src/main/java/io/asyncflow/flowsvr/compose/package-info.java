/**
 * What is made of tasks: jobs, which split one input and merge the results ({@code job}); tasks
 * that come back ({@code schedule}); events that are sent to URLs, each by a task ({@code hook});
 * and objects too large for a row ({@code store}).
 *
 * <p>Each of these is a client of the queue: it creates tasks as any caller does, in its own
 * transaction, and hears of their ends within the transaction that ends them.
 */
package io.asyncflow.flowsvr.compose;
