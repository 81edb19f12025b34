/** Threads, loops, batches, turns, and memories for a while. */
package io.asyncflow.flowsvr.system.concurrent;
