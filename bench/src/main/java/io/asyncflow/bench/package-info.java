/**
 * Head to head: the same work done in several ways, in one run, on one database.
 *
 * <p>Machines are noisy, so a figure alone means nothing; what counts is the ratio to the yardstick
 * that ran beside it. The module's own package has the main class, {@link
 * io.asyncflow.bench.BenchCommand}, and {@code Contests}, which says who takes part in each part of
 * a run and what is aimed at. Each room depends on those below it alone, and {@code
 * ArchitectureTest} holds that order:
 *
 * <pre>
 *   report     tables, charts, and last the targets that were met or missed
 *   console    what its pages and calls cost, and what they are to those who work
 *   flow       what only flowsvr can do
 *   schedule   what keeps schedules, and what is done with them
 *   work       what every task system can do: creates, processing, whole lives, create to start
 *   system     what keeps tasks and runs them: flowsvr, plain JDBC, the seeds' design, the peers
 *   bed        one durable database, one flowsvr from its real jar, and their tables and tasks
 *   measure    what results mean: rates, percentiles, cost
 *   contest    contenders, and the rounds in which they take turns
 *   resource   what processes use: processor time and memory
 *   option     what the command line asks for
 * </pre>
 *
 * <p>A new peer is one class in {@code system}, and new work is one class in {@code work}; a peer
 * that keeps schedules is one class in {@code schedule}.
 */
package io.asyncflow.bench;
