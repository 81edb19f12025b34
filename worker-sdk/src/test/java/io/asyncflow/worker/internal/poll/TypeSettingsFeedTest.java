package io.asyncflow.worker.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.worker.internal.loop.Backoff;
import io.asyncflow.worker.internal.loop.Jitter;
import io.asyncflow.worker.internal.loop.Link;
import io.asyncflow.worker.internal.loop.LoggedLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TypeSettingsFeedTest {

  private final FakeFlowServer server = new FakeFlowServer();
  private final TypeSettingsFeed feed =
      new TypeSettingsFeed(
          server, Set.of("lark"), new Backoff(Jitter.NONE), Jitter.NONE, new Link());
  private final List<String> changes = new ArrayList<>();

  @Test
  void aTypeIsKnownWhateverItsSpelling() {
    server.withType("Lark");
    assertThat(feed.limits("lark")).isNull();
    assertThat(feed.runOnce()).isEqualTo(Duration.ofSeconds(60));
    assertThat(feed.limits("lark").scheduleLimit()).isEqualTo(100);
  }

  @Test
  void aChangeIsToldAndNothingElseIs() {
    feed.whenChanged(() -> changes.add("changed"));
    server.withType("lark");
    feed.runOnce();
    feed.runOnce();
    assertThat(changes).hasSize(1);
    server.saveTaskType(
        TaskTypeSettings.named("lark")
            .withScheduleLimit(7)
            .withScheduleInterval(1)
            .withMaxProcessingTime(1)
            .withMaxRetryNum(1)
            .withRetryInterval(1));
    feed.runOnce();
    assertThat(changes).hasSize(2);
    assertThat(feed.limits("lark").scheduleLimit()).isEqualTo(7);
  }

  @Test
  void aMissingTypeIsSaidOnceAndLookedForEverySecond() {
    try (LoggedLines log = new LoggedLines(TypeSettingsFeed.class)) {
      for (int i = 0; i < 5; i++) {
        assertThat(feed.runOnce()).isEqualTo(Duration.ofSeconds(1));
      }
      assertThat(log.lines()).hasSize(1);
      assertThat(log.lines().get(0)).contains("lark").contains("as soon as");
      server.withType("lark");
      feed.runOnce();
      assertThat(feed.limits("lark")).isNotNull();
      assertThat(log.lines()).hasSize(1);
    }
  }

  @Test
  void anOutageIsSaidOnceAndWhatWasReadStays() {
    server.withType("lark");
    feed.runOnce();
    server.setDown(true);
    try (LoggedLines log = new LoggedLines(TypeSettingsFeed.class)) {
      assertThat(feed.runOnce()).isEqualTo(Duration.ofMillis(100));
      assertThat(feed.runOnce()).isEqualTo(Duration.ofMillis(200));
      assertThat(log.lines()).hasSize(1);
    }
    assertThat(feed.limits("lark")).isNotNull();
    server.setDown(false);
    assertThat(feed.runOnce()).isEqualTo(Duration.ofSeconds(60));
  }

  @Test
  void anOutageAtTheStartDoesNotSpeakOfValuesInUse() {
    server.setDown(true);
    try (LoggedLines log = new LoggedLines(TypeSettingsFeed.class)) {
      feed.runOnce();
      assertThat(log.lines()).singleElement().asString().contains("no tasks are asked for until");
    }
  }

  @Test
  void chanceSpreadsTheReads() {
    TypeSettingsFeed early =
        new TypeSettingsFeed(
            server, Set.of("lark"), new Backoff(Jitter.NONE), new Jitter(() -> 0.5), new Link());
    server.withType("lark");
    assertThat(early.runOnce()).isEqualTo(Duration.ofSeconds(54));
  }
}
