/** The progress of jobs, streamed to clients. */
package io.asyncflow.flowsvr.compose.job.progress;
