/**
 * What a task is: the settings of its type ({@code type}), the tables of a type and how they roll
 * ({@code table}), the row and the one way to change it ({@code row}), its place in the index
 * ({@code index}), the workers that alone may hold it ({@code lane}), what is paused ({@code
 * pause}), and what is told of it ({@code event}).
 *
 * <p>Begin with {@code row}: {@code TaskRow} of flow-rules is the state, its methods are the
 * transitions, and {@code TransitionStore} writes the difference of two rows under a guard.
 * Everything that changes a task goes through it, but for the claim and the heartbeat, which have
 * statements of their own.
 */
package io.asyncflow.flowsvr.task;
