/**
 * Several real processes from the built jars, what is done to them, and what must be true of them
 * all the same.
 *
 * <p>Each room depends on those below it alone, and {@code ArchitectureTest} holds that order:
 *
 * <pre>
 *   chaos       ./asyncflow chaos: all faults at once, under load
 *   scenario    one task type on a cluster, its load, and its history
 *   check       the checkers that hold a history to the invariants
 *   evidence    a history, sorted by task and by job
 *   invariant   what must be true of every history
 *   cluster     the processes: database, Redis, servers, workers
 *   worker      a worker whose handlers do what their task says
 *   history     what processes do and see, written down as it happens
 *   wire        a TCP connection that can be bad in every way
 * </pre>
 *
 * <p>The tests of a healthy cluster are in the room {@code cluster}; {@code fault} has a room for
 * each part that breaks.
 */
package io.asyncflow.systemtest;
