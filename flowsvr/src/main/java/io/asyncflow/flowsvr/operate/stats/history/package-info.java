/** What happened in the last days: numbers over time, and failures that are alike. */
package io.asyncflow.flowsvr.operate.stats.history;
