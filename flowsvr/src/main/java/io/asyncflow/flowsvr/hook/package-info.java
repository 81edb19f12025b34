/**
 * Hooks: events that are sent to URLs. This package takes the calls; {@code core} has the rows,
 * {@code dispatch} makes a task of each event that a hook wants, {@code delivery} runs these tasks,
 * {@code egress} sends the requests and decides to which addresses.
 *
 * <p>A delivery is a task of the type {@code flow_webhook} in the stage {@code hook-{id}}. So its
 * retries, its log and its fate when a server dies are those of any task, and a slow endpoint holds
 * up the tasks of its own stage alone. The tasks of an event are created in the transaction that
 * moves the hook's cursor past the event, so there is one task an event, whatever dies.
 */
package io.asyncflow.flowsvr.hook;
