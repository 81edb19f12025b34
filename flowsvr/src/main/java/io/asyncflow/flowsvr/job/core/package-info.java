/** The rows of jobs: their data, state and counts, and the statements that change them. */
package io.asyncflow.flowsvr.job.core;
