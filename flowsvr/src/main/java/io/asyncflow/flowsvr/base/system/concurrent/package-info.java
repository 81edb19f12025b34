/** Threads, background loops, batching, round robin, timed caches. */
package io.asyncflow.flowsvr.base.system.concurrent;
