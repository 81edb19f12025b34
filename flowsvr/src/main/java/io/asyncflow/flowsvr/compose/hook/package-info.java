/**
 * Hooks: events that are sent to URLs. {@link HookDispatch} makes a task of each event that a hook
 * wants, {@link HookDeliveries} runs these tasks: each server has a {@link HookWorker} for each
 * hook, which holds the tasks of the hook's stage as any worker would, at most two at once. The
 * package {@code egress} sends the requests and decides to which addresses.
 *
 * <p>A delivery is a task of the type {@code flow_webhook} in the stage {@code hook-{id}}. So its
 * retries, its log and its fate when a server dies are those of any task, and a slow endpoint holds
 * up the tasks of its own stage alone. The tasks of an event are created in the transaction that
 * moves the hook's cursor past the event, so there is one task an event, whatever dies.
 */
package io.asyncflow.flowsvr.compose.hook;
