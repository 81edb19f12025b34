/** What a state of a job asks for, done a page at a time: split, release, merge, stop. */
package io.asyncflow.flowsvr.job.steps;
