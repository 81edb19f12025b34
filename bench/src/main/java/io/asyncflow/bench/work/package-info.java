/**
 * What is done with a task system, each a {@link io.asyncflow.bench.work.SystemContender}: creates
 * one by one or in bulk, processing, whole lives, create to start; and the same done otherwise.
 */
package io.asyncflow.bench.work;
