/** The steps that a job's state requires, executed page by page: split, release, merge, stop. */
package io.asyncflow.flowsvr.compose.job.steps;
