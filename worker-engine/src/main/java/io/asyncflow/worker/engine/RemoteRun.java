package io.asyncflow.worker.engine;

import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.engine.EngineMessage.Failure;
import io.asyncflow.worker.engine.EngineMessage.MalformedException;
import io.asyncflow.worker.engine.EngineMessage.Progress;
import io.asyncflow.worker.engine.EngineMessage.Result;
import io.asyncflow.worker.engine.RemoteHandler.Answer;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * One run on a remote executor.
 *
 * <pre>
 *   POST runs/{id} ──200──▶ result
 *     │        ▲
 *    202      404, the executor has lost the run
 *     ▼        │
 *   GET runs/{id} ──200──▶ result
 *     └──202, every exploreInterval──┘
 * </pre>
 *
 * <p>Each request may be repeated, because the id names the run. So a request that fails is tried
 * again after the interval, and only several failures in a row fail the run. A run that ends
 * without its result is deleted at the executor.
 */
final class RemoteRun {

  private static final int MOST_FAILURES = 5;

  private static final int OK = 200;
  private static final int ACCEPTED = 202;
  private static final int NOT_FOUND = 404;
  private static final int REQUEST_TIMEOUT = 408;
  private static final int TOO_EARLY = 425;
  private static final int TOO_MANY = 429;

  private final RemoteHandler executor;
  private final StageContext context;
  private final String id;
  private boolean begun;
  private int failures;

  RemoteRun(RemoteHandler executor, StageContext context) {
    this.executor = executor;
    this.context = context;
    this.id = EngineMessage.idOf(context);
  }

  /**
   * Waits for the result.
   *
   * @throws EngineException if the executor cannot be reached or failed the run; a retry may
   *     succeed
   * @throws InterruptedException if the run was cancelled
   */
  StageResult await() throws Exception {
    boolean hasEnded = false;
    try {
      Answer answer = ask();
      while (answer == null || answer.status() != OK) {
        pause();
        answer = ask();
      }
      hasEnded = true;
      return resultOf(answer);
    } finally {
      if (!hasEnded) {
        executor.delete(id);
      }
    }
  }

  /** Begins the run or asks for its result; {@code null} if the request failed. */
  private Answer ask() throws InterruptedException {
    Answer answer;
    try {
      answer =
          begun
              ? executor.exchange("GET", id, BodyPublishers.noBody(), context.traceParent())
              : executor.exchange(
                  "POST",
                  id,
                  BodyPublishers.ofString(EngineMessage.runOf(context).toString()),
                  context.traceParent());
    } catch (IOException e) {
      failed(String.valueOf(e.getMessage()));
      return null;
    }
    switch (answer.status()) {
      case OK -> failures = 0;
      case ACCEPTED -> {
        begun = true;
        failures = 0;
        showProgress(answer);
      }
      case NOT_FOUND -> {
        failed("status 404");
        begun = false;
      }
      default -> {
        String status = "status " + answer.status() + " " + EngineMessage.shown(answer.body());
        if (isFinal(answer.status())) {
          throw new EngineException(named("answered " + status));
        }
        failed(status);
      }
    }
    return answer;
  }

  /** Whether the same request would be answered alike. */
  private static boolean isFinal(int status) {
    return status < 500 && status != REQUEST_TIMEOUT && status != TOO_EARLY && status != TOO_MANY;
  }

  private void failed(String why) {
    if (++failures == MOST_FAILURES) {
      throw new EngineException(named("failed " + MOST_FAILURES + " times in a row: " + why));
    }
  }

  /** Waits for the interval; an interrupt ends it. */
  private void pause() throws InterruptedException {
    new CountDownLatch(1).await(executor.exploreInterval().toMillis(), TimeUnit.MILLISECONDS);
  }

  /** A 202 may have no body, or any. */
  private void showProgress(Answer answer) {
    try {
      if (EngineMessage.parse(answer.body()) instanceof Progress progress) {
        context.progress(Math.min(Math.max(progress.percent(), 0), 100));
      }
    } catch (MalformedException e) {
      // Nothing to show.
    }
  }

  private StageResult resultOf(Answer answer) throws Exception {
    EngineMessage message;
    try {
      message = EngineMessage.parse(answer.body());
    } catch (MalformedException e) {
      throw new EngineException(named(e.getMessage()));
    }
    if (message instanceof Result result && result.id().equals(id)) {
      return result.result();
    }
    if (message instanceof Failure failure && failure.id().equals(id)) {
      throw failure.reason();
    }
    throw new EngineException(
        named("answered no result of this run: " + EngineMessage.shown(answer.body())));
  }

  private String named(String what) {
    return executor + " " + what;
  }
}
