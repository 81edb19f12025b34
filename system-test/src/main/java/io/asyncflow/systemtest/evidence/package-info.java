/**
 * All that is known of each task and job: a history sorted by what it is about, with the rows that
 * are left.
 */
package io.asyncflow.systemtest.evidence;
