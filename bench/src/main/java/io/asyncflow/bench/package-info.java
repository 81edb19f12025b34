/**
 * Head to head: the same work done in several ways, in one run, on one database.
 *
 * <p>Machines are noisy, so a figure alone means nothing; what counts is the ratio to the yardstick
 * that ran beside it. Hence the anatomy:
 *
 * <pre>
 *   Bench       main class: options → test bed → contests → report
 *   TestBed     one durable engine, one flowsvr from its real jar, and what talks to them
 *   Part        what can be measured; Contests makes a contest of each, with its targets
 *   Contest     some work, and the contenders that do it; the first is the yardstick
 *   Contender   one way of doing it
 *   Measure     what the results mean: rates (PerSecond), percentiles (Latency), cost (IdleMeasure)
 *   Referee     a warm-up round that is thrown away, then rounds A B A B; watches the CPU, and has
 *               a round repeated in which somebody else took more than a third of a core
 *   Report      tables, charts, and last the targets that were met or missed
 * </pre>
 *
 * <p>What keeps tasks and runs them is a {@link io.asyncflow.bench.TaskSystem}: flowsvr with the
 * SDK, plain JDBC, the seeds' design, and the peers db-scheduler and JobRunr. What is done with one
 * is a {@link io.asyncflow.bench.SystemContender}: creates one by one or in bulk, processing, whole
 * lives, create to start. So a new peer is one class, and new work is one class.
 */
package io.asyncflow.bench;
