package io.asyncflow.worker.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class OutageLogTest {

  private static final String NO_ANSWER = ErrorCode.UNAVAILABLE.name();

  private final Link link = new Link();
  private final OutageLog holds = logOf("holds");
  private final OutageLog reports = logOf("reports");

  private OutageLog logOf(String what) {
    return new OutageLog(LoggerFactory.getLogger(OutageLogTest.class), what, link);
  }

  @Test
  void whatStaysWrongIsSaidOnceAndAnotherProblemIsNews() {
    try (LoggedLines log = new LoggedLines(OutageLogTest.class)) {
      holds.failed("NOT_AUTHENTICATED", "the key is wrong", "tried again");
      holds.failed("NOT_AUTHENTICATED", "the key is wrong", "tried again");
      holds.failed("INTERNAL", "a bug", "tried again");
      assertThat(log.lines())
          .containsExactly("holds: the key is wrong; tried again", "holds: a bug; tried again");
      assertThat(holds.problem()).isEqualTo("a bug");
      holds.worked();
      assertThat(holds.problem()).isNull();
      holds.failed("INTERNAL", "a bug", "tried again");
      assertThat(log.lines()).hasSize(3);
    }
  }

  @Test
  void aSilentServerIsSaidOnceForAllLoopsUntilEachOfThemHadAnAnswer() {
    try (LoggedLines log = new LoggedLines(OutageLogTest.class)) {
      holds.failed(NO_ANSWER, "silence", "tried again");
      reports.failed(NO_ANSWER, "silence", "tried again");
      holds.worked();
      holds.failed(NO_ANSWER, "silence", "tried again");
      assertThat(log.lines()).containsExactly("holds: silence; tried again");
      assertThat(reports.problem()).isEqualTo("silence");

      holds.worked();
      reports.worked();
      reports.failed(NO_ANSWER, "silence", "tried again");
      assertThat(log.lines()).hasSize(2);
    }
  }

  @Test
  void aLoopWhoseProblemBecameAnotherWaitsForNoAnswerAnyMore() {
    try (LoggedLines log = new LoggedLines(OutageLogTest.class)) {
      holds.failed(NO_ANSWER, "silence", "tried again");
      holds.failed("INTERNAL", "a bug", "tried again");
      reports.failed(NO_ANSWER, "silence", "tried again");
      assertThat(log.lines()).hasSize(3);
    }
  }

  @Test
  void whoAsksForNothingAnyMoreWaitsForNoAnswerAndHasNone() {
    List<String> told = new ArrayList<>();
    link.whenMended(() -> told.add("mended"));
    try (LoggedLines log = new LoggedLines(OutageLogTest.class)) {
      holds.failed(NO_ANSWER, "silence", "tried again");
      holds.withdraw();
      assertThat(link.othersAreConnected(reports)).isTrue();
      holds.worked();
      assertThat(told).isEmpty();

      holds.failed("INTERNAL", "a bug", "tried again");
      holds.withdraw();
      holds.failed("INTERNAL", "a bug", "tried again");
      assertThat(log.lines())
          .containsExactly("holds: silence; tried again", "holds: a bug; tried again");
    }
  }
}
