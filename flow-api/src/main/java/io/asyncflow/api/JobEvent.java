package io.asyncflow.api;

/**
 * One server-sent event of a job.
 *
 * @param id the {@code Last-Event-ID} to send when the stream is opened again
 * @param isEnd whether the job has ended; no event follows
 */
public record JobEvent(String id, boolean isEnd, JobProgress progress) {}
