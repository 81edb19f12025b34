/**
 * Everything that Asyncflow needs around it, brought along: for {@code ./asyncflow dev}, {@code
 * demo} and {@code submit}, and for tests. Never on a production class path.
 *
 * <p>The module's own package has the exceptions that all rooms throw. Each room depends on those
 * below it alone, and {@code ArchitectureTest} holds that order:
 *
 * <pre>
 *   command       the main classes, their options, and what they run
 *   stack         the whole of Asyncflow as children of one JVM
 *   speech        a text spoken by the example worker, as a client sees it
 *   environment   what a command finds set when it starts
 *   testing       the database and the Redis that the tests of one JVM share
 *   embedded      MariaDB, MySQL and Redis as native servers on loopback
 *   process       child processes that do not outlive their owner
 *   host          directories, locks, ports and threads of this machine
 * </pre>
 */
package io.asyncflow.dev;
