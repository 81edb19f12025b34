package io.asyncflow.api;

/**
 * One server-sent event of a job.
 *
 * @param id names it to a server that the stream is asked for again, as {@code Last-Event-ID}
 * @param isEnd whether the job has ended: nothing follows
 */
public record JobEvent(String id, boolean isEnd, JobProgress progress) {}
