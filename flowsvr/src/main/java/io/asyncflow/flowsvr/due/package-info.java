/**
 * Where tasks are due: the statements that read it, and the memory of what they saw, so that claims
 * skip sources in which nothing is due.
 */
package io.asyncflow.flowsvr.due;
