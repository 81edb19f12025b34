package io.asyncflow.systemtest.worker;

import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How one delivery of a stage behaves, written as a word and, for some, a number.
 *
 * @param kind the word
 * @param millis the number; 0 where there is none
 */
record Act(Kind kind, long millis) {

  enum Kind {
    /** Succeeds. */
    OK,
    /** Succeeds after so many milliseconds, and heeds an interrupt. */
    SLEEP,
    /** Throws. */
    ERROR,
    /** Fails for good. */
    FAIL,
    /** Asks for another run in so many milliseconds. */
    SNOOZE,
    /** Waits until it is interrupted. */
    HANG,
    /** Never ends and heeds no interrupt. */
    SPIN,
    /** Ends the process as a crash does. */
    EXIT,
    /** Ends the process as a careless handler does, shutdown hooks and all. */
    SYSTEM_EXIT,
    /** Takes all memory. */
    OOM
  }

  static Act parse(String text) {
    String[] words = text.split(" ");
    long millis = words.length > 1 ? Long.parseLong(words[1]) : 0;
    return new Act(Kind.valueOf(words[0].toUpperCase(Locale.ROOT)), millis);
  }

  /** Returns if the stage is to be committed; anything else is the result or the throw. */
  StageResult perform(StageContext context, StageResult success) throws Exception {
    return switch (kind) {
      case OK -> success;
      case SLEEP -> {
        Thread.sleep(millis);
        yield success;
      }
      case ERROR -> throw new IllegalStateException("the script says ERROR");
      case FAIL -> StageResult.fail("the script says FAIL");
      case SNOOZE -> StageResult.snooze(Duration.ofMillis(millis));
      case HANG -> {
        Thread.sleep(Long.MAX_VALUE);
        yield success;
      }
      case SPIN -> throw spin();
      case EXIT -> {
        Runtime.getRuntime().halt(3);
        yield success;
      }
      case SYSTEM_EXIT -> {
        System.exit(3);
        yield success;
      }
      case OOM -> throw takeAllMemory();
    };
  }

  @SuppressWarnings("InfiniteLoopStatement")
  private static RuntimeException spin() {
    while (true) {
      Thread.onSpinWait();
    }
  }

  @SuppressWarnings("InfiniteLoopStatement")
  private static RuntimeException takeAllMemory() {
    List<byte[]> all = new ArrayList<>();
    while (true) {
      all.add(new byte[16 << 20]);
    }
  }
}
