/**
 * Programs as child processes, with their logs: how they start, end and are started again.
 *
 * <p>A child never outlives its owner for long. Four mechanisms back each other up:
 *
 * <pre>
 *   close()            the owner stops the child in order
 *   watching shell     the JVM died without close(), even by kill -9: the pipe to the shell
 *                      closes, and the shell stops the child (or, for tests, kills it)
 *   pid file           the shell died too: the next start in the directory finds the orphan
 *   directory lock     held by the JVM, so that only a dead owner's child counts as an orphan
 * </pre>
 */
package io.asyncflow.dev.process;
