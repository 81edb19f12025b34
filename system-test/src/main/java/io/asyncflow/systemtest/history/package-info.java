/**
 * What processes do and see, written down as it happens and read back as one history.
 *
 * <p>A {@link io.asyncflow.systemtest.history.Recorder} writes JSON lines that survive kill -9; a
 * {@link io.asyncflow.systemtest.history.RecordingFlowClient} stands between a worker or a test and
 * its server and records each call. The lines are flat, so {@code grep} and {@code jq} read them
 * too:
 *
 * <pre>
 * grep 249839584597245952 target/clusters/*&#47;history-row3/*.jsonl | sort -t: -k3n | jq -c .
 * </pre>
 */
package io.asyncflow.systemtest.history;
