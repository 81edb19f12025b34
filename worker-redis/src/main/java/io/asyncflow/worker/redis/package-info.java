/**
 * The lock around holds, in Redis: add this library to a worker, and set the address of the Redis.
 * Nothing depends on it, and it may be down at any time.
 */
package io.asyncflow.worker.redis;
