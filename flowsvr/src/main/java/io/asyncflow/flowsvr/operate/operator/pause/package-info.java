/**
 * Sets and ends the pauses of types, stages and workers. What is paused, and how claims learn of
 * it, is in {@link io.asyncflow.flowsvr.task.pause}.
 */
package io.asyncflow.flowsvr.operate.operator.pause;
