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
 * <p>flowsvr and the workers are held by the four nets of {@link io.asyncflow.dev.process}, and by
 * a fifth: their standard input is a pipe from the launcher, and they end at its end.
 *
 * <p>Where flowsvr ends because the tables were made from another baseline, the directory gets
 * another name, and all starts anew in an empty one.
 */
package io.asyncflow.dev.stack;
