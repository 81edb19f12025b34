/**
 * Pauses of types, stages, workers and jobs: where they are kept, and what every claim asks before
 * it takes tasks. The acts that set and clear them are in {@code operator} and {@code job}.
 *
 * <p>A claim asks {@link io.asyncflow.flowsvr.task.pause.PausesInForce} twice. Before it looks for
 * due tasks, the answer may be old: it only saves a look in vain. In its transaction, right before
 * it locks the tasks, the answer is so fresh that nothing is held a second after the answer to a
 * pause. News from this server, and through Redis from the others, outdates what is remembered at
 * once.
 */
package io.asyncflow.flowsvr.task.pause;
