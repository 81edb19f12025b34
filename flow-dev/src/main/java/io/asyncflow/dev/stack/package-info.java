/**
 * The whole of Asyncflow as children of one JVM, in one data directory; they are stopped in the
 * opposite order.
 *
 * <pre>
 *   ./asyncflow ── launcher ─┬─ MariaDB    mariadb/   data, log
 *                            ├─ Redis      redis/     log
 *                            ├─ flowsvr    flowsvr/   the unpacked jar; logs/flowsvr.log
 *                            ├─ worker     worker/    the unpacked jar; logs/worker.log
 *                            └─ worker     worker-2/  logs/worker-2.log; for the demo
 * </pre>
 *
 * <p>Besides the four mechanisms of {@link io.asyncflow.dev.process}, flowsvr and the workers have
 * a fifth: their standard input is a pipe from the launcher, and they end with it.
 *
 * <p>If flowsvr ends because the tables were made from another baseline, the directory is renamed,
 * and the stack starts again with an empty one.
 */
package io.asyncflow.dev.stack;
