/** The rows of jobs: what a job is, its state and its counts, and the statements that move them. */
package io.asyncflow.flowsvr.job.core;
