/**
 * Everything that Asyncflow needs around it, brought along: for {@code ./asyncflow dev}, for {@code
 * ./asyncflow demo} and for tests. Never on a production class path.
 *
 * <h2>Engines</h2>
 *
 * <p>{@link io.asyncflow.dev.EmbeddedMariaDb}, {@link io.asyncflow.dev.EmbeddedRedis} and {@link
 * io.asyncflow.dev.EmbeddedMySql} are native servers on loopback, unpacked once per user. Tests ask
 * {@link io.asyncflow.dev.TestEngines}, which shares one of each within a JVM.
 *
 * <p>An engine never outlives its owner for long. Four nets hang below each other:
 *
 * <pre>
 *   close()            the owner stops the engine in order
 *   watching shell     the JVM died without close(), be it by kill -9: the pipe to the shell
 *                      closes, and the shell stops the engine (or, for tests, discards it)
 *   pid file           the shell died too: the next start in the directory finds the orphan
 *   directory lock     held by the JVM, so that only a dead owner's engine counts as an orphan
 * </pre>
 */
package io.asyncflow.dev;
