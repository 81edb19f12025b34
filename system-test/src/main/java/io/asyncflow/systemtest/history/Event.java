package io.asyncflow.systemtest.history;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.asyncflow.api.RecordCopy;
import java.util.Map;

/**
 * One line of a history, flat, so that it can be read with {@code grep} and {@code jq} too. A
 * component that does not apply is {@code null}.
 *
 * @param at nanoseconds of the machine's monotonic clock, which every process on it shares
 * @param process who saw it
 * @param call number of the call within the process; the lines of one call share it
 * @param act what it is about
 * @param phase how far it is
 * @param task the task's id
 * @param epoch of the hold
 * @param stage the task's stage
 * @param key idempotency key, hold id or report id
 * @param worker the worker id that was named, or who may have suffered from a fault
 * @param outcome of a report as it was sent, the state that a beat was answered with, or what a
 *     fault was
 * @param answer what became of a report, or why a call failed
 * @param nextStage that a report hands over to
 * @param text the context of a task, the new one of a report, or its result
 * @param status of the task, as a number
 * @param failures of the current stage, as the server counts them
 * @param delayMs until the task is due, as a create or a report asked for
 * @param leaseMs what is left of the lease, as the server said
 * @param code of an answer that was no success
 * @param slot what a run was lent: a device, the first of its places that are lent, and how many,
 *     as {@code cuda:0/1+2}; of a worker all that it has, as {@code cuda:0+4,cuda:1+4}
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Event(
    long at,
    String process,
    long call,
    Act act,
    Phase phase,
    String task,
    Integer epoch,
    String stage,
    String key,
    String worker,
    String outcome,
    String answer,
    String nextStage,
    String text,
    Integer status,
    Integer failures,
    Long delayMs,
    Long leaseMs,
    Integer code,
    String slot) {

  /** Begins the line of a call, which {@link #at} ends. */
  public static Event draft(Act act, Phase phase) {
    return new Event(
        0, null, 0, act, phase, null, null, null, null, null, null, null, null, null, null, null,
        null, null, null, null);
  }

  public Event task(String value) {
    return with("task", value);
  }

  public Event epoch(Integer value) {
    return with("epoch", value);
  }

  public Event stage(String value) {
    return with("stage", value);
  }

  public Event key(String value) {
    return with("key", value);
  }

  public Event worker(String value) {
    return with("worker", value);
  }

  public Event outcome(String value) {
    return with("outcome", value);
  }

  public Event answer(String value) {
    return with("answer", value);
  }

  public Event nextStage(String value) {
    return with("nextStage", value);
  }

  public Event text(String value) {
    return with("text", value);
  }

  public Event status(Integer value) {
    return with("status", value);
  }

  public Event failures(Integer value) {
    return with("failures", value);
  }

  public Event delayMs(Long value) {
    return with("delayMs", value);
  }

  public Event leaseMs(Long value) {
    return with("leaseMs", value);
  }

  public Event code(Integer value) {
    return with("code", value);
  }

  public Event slot(String value) {
    return with("slot", value);
  }

  /** The line as one of a process at a moment. */
  public Event at(long moment, String ofProcess, long ofCall) {
    return RecordCopy.with(this, Map.of("at", moment, "process", ofProcess, "call", ofCall));
  }

  private Event with(String component, Object value) {
    return RecordCopy.with(this, component, value);
  }
}
