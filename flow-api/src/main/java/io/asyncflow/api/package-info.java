/**
 * The wire contract of flowsvr as Java: records for requests and answers, the error codes, and a
 * typed HTTP client.
 *
 * <pre>
 *   FlowClient, JobClient, ScheduleClient, … → Call → Transport around a Transport → HttpTransport
 *                                                     (seals, records, repeats)   or a fake
 * </pre>
 *
 * <p>A {@link io.asyncflow.api.Call} has its fields as Java values; {@link
 * io.asyncflow.api.HttpFlowClient} alone makes them JSON. What concerns many calls is a {@link
 * io.asyncflow.api.Transport} around another one, and what concerns a call about tasks is a {@link
 * io.asyncflow.api.ForwardingFlowClient}.
 *
 * <p>The package depends on no framework and has no rules; see {@code io.asyncflow.rules}. All
 * records are immutable and thread-safe; {@link io.asyncflow.api.RecordCopy} copies them. A
 * component that a JSON body may omit is {@code null} if it was omitted. Times are epoch
 * milliseconds; durations have their unit in their name.
 */
package io.asyncflow.api;
