/**
 * What a developer needs to run stages of tasks: {@link io.asyncflow.worker.StageHandler} to write,
 * {@code Worker} to start.
 */
package io.asyncflow.worker;
