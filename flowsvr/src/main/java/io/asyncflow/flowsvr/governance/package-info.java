/**
 * Runs the periodic duties that the features contribute, and tells what they did; with two duties
 * of its own, the audit of invariants and the gauge of late tasks.
 *
 * <p>On the leader: {@code table-drain}, {@code table-retention}, {@code job-catch-up}, {@code
 * job-retention}, {@code invariant-auditor}, {@code late-tasks}, and the retention of workers,
 * holds, keys, acts, stored objects and server numbers. On each server: {@code
 * expired-lease-sweep}.
 */
package io.asyncflow.flowsvr.governance;
