/**
 * The traces of runs: a span per run, in the trace of the call that created its task.
 *
 * <p>Nothing here is loaded with Micrometer Tracing unless the application has it.
 */
package io.asyncflow.worker.tracing;
