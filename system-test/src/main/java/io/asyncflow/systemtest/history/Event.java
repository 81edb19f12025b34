package io.asyncflow.systemtest.history;

import com.fasterxml.jackson.annotation.JsonInclude;

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

  /** Begins the line of a call. */
  public static Draft draft(Act act, Phase phase) {
    return new Draft(act, phase);
  }

  /** A line that is being written. Not thread-safe. */
  public static final class Draft {

    private final Act act;
    private final Phase phase;
    private String task;
    private Integer epoch;
    private String stage;
    private String key;
    private String worker;
    private String outcome;
    private String answer;
    private String nextStage;
    private String text;
    private Integer status;
    private Integer failures;
    private Long delayMs;
    private Long leaseMs;
    private Integer code;
    private String slot;

    private Draft(Act act, Phase phase) {
      this.act = act;
      this.phase = phase;
    }

    public Draft task(String value) {
      task = value;
      return this;
    }

    public Draft epoch(Integer value) {
      epoch = value;
      return this;
    }

    public Draft stage(String value) {
      stage = value;
      return this;
    }

    public Draft key(String value) {
      key = value;
      return this;
    }

    public Draft worker(String value) {
      worker = value;
      return this;
    }

    public Draft outcome(String value) {
      outcome = value;
      return this;
    }

    public Draft answer(String value) {
      answer = value;
      return this;
    }

    public Draft nextStage(String value) {
      nextStage = value;
      return this;
    }

    public Draft text(String value) {
      text = value;
      return this;
    }

    public Draft status(Integer value) {
      status = value;
      return this;
    }

    public Draft failures(Integer value) {
      failures = value;
      return this;
    }

    public Draft delayMs(Long value) {
      delayMs = value;
      return this;
    }

    public Draft leaseMs(Long value) {
      leaseMs = value;
      return this;
    }

    public Draft code(Integer value) {
      code = value;
      return this;
    }

    public Draft slot(String value) {
      slot = value;
      return this;
    }

    /** The finished line. */
    public Event at(long at, String process, long call) {
      return new Event(
          at, process, call, act, phase, task, epoch, stage, key, worker, outcome, answer,
          nextStage, text, status, failures, delayMs, leaseMs, code, slot);
    }
  }
}
