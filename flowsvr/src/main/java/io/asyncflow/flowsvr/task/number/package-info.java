/**
 * Task numbers. Each server leases a server number of its own, so that no two servers generate the
 * same task number; renewing that lease is the server's sign of life.
 */
package io.asyncflow.flowsvr.task.number;
