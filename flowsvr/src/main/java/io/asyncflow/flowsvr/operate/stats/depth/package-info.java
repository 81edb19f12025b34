/**
 * How many tasks wait, without counting them: bounded counts, and beyond their bounds what the
 * database guesses from its index. See decision 33.
 */
package io.asyncflow.flowsvr.operate.stats.depth;
