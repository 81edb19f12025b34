/** Optional Redis: the connection with a circuit breaker, and notifications between servers. */
package io.asyncflow.flowsvr.base.system.redis;
