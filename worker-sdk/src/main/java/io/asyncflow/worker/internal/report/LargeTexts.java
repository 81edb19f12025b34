package io.asyncflow.worker.internal.report;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.StoreContent;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.StoredText;
import io.asyncflow.worker.NonRetryableException;
import java.nio.charset.StandardCharsets;

/**
 * Moves texts that are too large for a row into the store, and replaces them by a {@link
 * StoredText}. Thread-safe.
 */
public final class LargeTexts {

  private static final String CONTEXT = "_context";
  private static final String RESULT = "_result";

  private static final long MOST_BYTES_A_CHAR = 3;

  private final FlowClient client;

  LargeTexts(FlowClient client) {
    this.client = client;
  }

  public static boolean isLarge(String text) {
    if (text == null || text.length() * MOST_BYTES_A_CHAR <= StoredText.MOST_BYTES_IN_A_ROW) {
      return false; // the usual case; counting bytes makes a copy
    }
    return bytesOf(text) > StoredText.MOST_BYTES_IN_A_ROW;
  }

  /** Whether the report contains a text that is too large for a row. */
  static boolean isLarge(Report report) {
    return isLarge(textOf(report));
  }

  /** The context or result of the report; {@code null} if none. */
  static String textOf(Report report) {
    return report.outcome() == Outcome.SUCCESS ? report.result() : report.taskContext();
  }

  static long bytesOf(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  /**
   * @throws NonRetryableException if the text is too large for the store, too
   */
  public static void requireStorable(String text) {
    if (isLarge(text) && bytesOf(text) > StoredText.MOST_BYTES) {
      throw new NonRetryableException(
          "a context or result of "
              + bytesOf(text)
              + " bytes is too large: at most "
              + StoredText.MOST_BYTES
              + "; StageContext.store takes files of any size");
    }
  }

  /**
   * The report with its text moved to the store if it is too large for a row.
   *
   * @param stage the stage of the hold that the report ends
   * @throws FlowException if the text could not be stored
   */
  Report moved(Report report, String stage) {
    String text = textOf(report);
    if (!isLarge(text)) {
      return report;
    }
    boolean isResult = report.outcome() == Outcome.SUCCESS;
    StoreKey key =
        StoreKey.of(report.taskId(), stage, report.leaseEpoch(), isResult ? RESULT : CONTEXT);
    String stored = stored(key, report.workerId(), text);
    return isResult
        ? report.withResult(stored)
        : report.withNext(report.taskStage(), stored, report.priority());
  }

  /** The same for a report whose stage is unknown. */
  Report moved(Report report) {
    return isLarge(report) ? moved(report, client.getTask(report.taskId()).taskStage()) : report;
  }

  /** Stores the text; returns its reference. */
  private String stored(StoreKey key, String workerId, String text) {
    StoreContent content = StoreContent.of(text.getBytes(StandardCharsets.UTF_8));
    try {
      client.store().put(key, workerId, content);
    } catch (FlowException e) {
      // The hold may no longer report, or has reported and the answer was lost: the answer to the
      // report decides.
      boolean reportTells =
          e.errorCode() == ErrorCode.LEASE_LOST
              || e.errorCode() == ErrorCode.TRANSITION_NOT_ALLOWED;
      if (!reportTells) {
        throw e;
      }
    }
    return new StoredText(key, content.length()).toString();
  }
}
