/**
 * What keeps tasks and runs them, each a {@link io.asyncflow.bench.system.TaskSystem}: flowsvr with
 * the SDK or with plain clients, plain JDBC, the design of the seeds, and the peers db-scheduler
 * and JobRunr.
 */
package io.asyncflow.bench.system;
