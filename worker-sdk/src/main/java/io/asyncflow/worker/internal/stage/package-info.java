/**
 * The stages that this worker can run: their handlers, and the adapters for annotated methods,
 * splitters and mergers.
 */
package io.asyncflow.worker.internal.stage;
