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
 *
 * <p>Other users of the machine can reach their ports, so each engine has a random password, in the
 * file {@code secrets} of its directory, and nobody but the owner can read that directory.
 *
 * <h2>Launcher</h2>
 *
 * <p>{@link io.asyncflow.dev.DevLauncher} runs the whole of Asyncflow as children of one JVM, in
 * one data directory, and stops them in the opposite order:
 *
 * <pre>
 *   ./asyncflow ── launcher ─┬─ MariaDB    mariadb/   data, log
 *                            ├─ Redis      redis/     log
 *                            ├─ flowsvr    flowsvr/   the unpacked jar; logs/flowsvr.log
 *                            ├─ worker     worker/    the unpacked jar; logs/worker.log
 *                            └─ worker     worker-2/  logs/worker-2.log; for the demo
 * </pre>
 *
 * <p>flowsvr and the workers are held by the same four nets, and by a fifth: their standard input
 * is a pipe from the launcher, and they end at its end.
 *
 * <p>{@link io.asyncflow.dev.Submit} needs none of this: it has a text spoken by a server that runs
 * somewhere, and knows that by HTTP alone.
 */
package io.asyncflow.dev;
