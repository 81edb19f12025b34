/**
 * Texts and objects that flowsvr keeps but cannot read.
 *
 * <pre>
 *   application →seals→ create, createJob, schedule    →  row →  hold   →opens→ handler
 *   application ←opens← getTask, getJob, getJobTasks  ←  row ←  report ←seals← handler
 * </pre>
 *
 * <p>A {@link io.asyncflow.api.codec.PayloadCodec} turns one text or one object into another one
 * and back. {@link io.asyncflow.api.codec.Sealing} applies it to the records of the contract, and
 * is the only place that knows which of their fields it applies to. Applications wrap their client
 * into a {@link io.asyncflow.api.codec.SealingFlowClient}; the SDK's worker takes a codec itself.
 * The calls about jobs and schedules are sealed by one transport around that of the client.
 *
 * <p>flowsvr sees of a text that it is sealed ({@link io.asyncflow.api.codec.SealedText}), by which
 * key, how long it is, and which objects of the context store it names.
 */
package io.asyncflow.api.codec;
