/** One task type on a cluster, its load, and the history of all that is done to it. */
package io.asyncflow.systemtest.scenario;
