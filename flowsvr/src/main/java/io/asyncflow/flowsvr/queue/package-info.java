/**
 * The life of a task: it is created ({@code create}), found due ({@code due}), claimed for a worker
 * that waits ({@code hold}, {@code claim}), kept by heartbeats ({@code lease}), and reported
 * ({@code report}); {@code query} reads tasks, {@code worker} lists those who hold them.
 *
 * <p>This is the heart; it needs no other feature above the wing {@code task}. {@code DueMap} knows
 * in memory which stages may have something due, {@code DueReader} reads the first entries of their
 * index, {@code ClaimTransaction} locks and marks rows. What is known in memory only saves reads: a
 * guarded UPDATE decides who gets a task.
 */
package io.asyncflow.flowsvr.queue;
