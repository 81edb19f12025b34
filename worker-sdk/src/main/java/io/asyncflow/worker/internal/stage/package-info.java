/**
 * What this worker can run: the handlers of its stages, how they are found, and what makes an
 * annotated method, a splitter or a merger a handler.
 */
package io.asyncflow.worker.internal.stage;
