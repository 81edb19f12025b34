/**
 * The environment that Asyncflow needs, for {@code ./asyncflow dev}, {@code demo}, {@code submit},
 * {@code schedule}, {@code events}, {@code hook} and {@code key}, and for tests. Never on a
 * production class path.
 *
 * <p>This package contains the exceptions of all subpackages. Each subpackage depends only on those
 * below it, which {@code ArchitectureTest} checks:
 *
 * <pre>
 *   command         the main class, the root of the command line, and what starts a stack
 *   command.work    commands about tasks, jobs, bulks, schedules and events
 *   command.fleet   commands about types, workers, pauses and hooks
 *   command.access  commands about keys and the record of acts
 *   command.option  options that commands share
 *   stack           the whole of Asyncflow as children of one JVM
 *   speech          a client of the example worker's speech jobs
 *   text            what a server keeps, as text for a terminal
 *   environment     the environment of a command, and the server that it calls
 *   testing         the database and the Redis that the tests of one JVM share
 *   embedded        MariaDB, MySQL and Redis as native servers on loopback
 *   process         child processes that do not outlive their owner
 *   host            directories, locks, ports and threads of this machine
 * </pre>
 */
package io.asyncflow.dev;
