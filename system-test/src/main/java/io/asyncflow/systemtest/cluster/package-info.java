/**
 * Real processes on one machine: a database, a Redis, flowsvr from its built jar, scripted workers.
 *
 * <p>All of them can be killed, stopped, resumed, terminated and started again, and none of them
 * outlives the JVM that started it.
 */
package io.asyncflow.systemtest.cluster;
