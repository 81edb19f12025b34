/** The progress of jobs, as it is told to those that follow one. */
package io.asyncflow.flowsvr.job.progress;
