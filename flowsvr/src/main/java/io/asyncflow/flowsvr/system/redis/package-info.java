/** Redis, which may be missing: one link with a breaker, and news between servers. */
package io.asyncflow.flowsvr.system.redis;
