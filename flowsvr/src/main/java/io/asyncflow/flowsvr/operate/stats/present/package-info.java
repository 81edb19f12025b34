/** How the work stands: all types in one snapshot for all viewers, and the stages of one type. */
package io.asyncflow.flowsvr.operate.stats.present;
