/**
 * Hold calls: requests for due tasks, which are parked without a thread until a task is due. {@code
 * HoldQueue} is the place to begin. Four things wake a queue of parked holds:
 *
 * <ul>
 *   <li>news that tasks wait, of this server or by {@code ClusterEvents} of another one;
 *   <li>a change of the pauses in force;
 *   <li>the time at which the next known task is due;
 *   <li>a find of the scan in {@code due}, which also sees tasks of other servers without Redis.
 * </ul>
 */
package io.asyncflow.flowsvr.queue.hold;
