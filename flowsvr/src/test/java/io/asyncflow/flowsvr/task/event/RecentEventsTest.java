package io.asyncflow.flowsvr.task.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.event.Event;
import io.asyncflow.flowsvr.task.event.RecentEvents.Position;
import io.asyncflow.flowsvr.task.event.RecentEvents.Slice;
import io.asyncflow.flowsvr.task.event.log.LoggedEvent;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RecentEventsTest {

  private final RecentEvents recent = new RecentEvents();

  private static List<LoggedEvent> events(long from, long to) {
    return LongStream.rangeClosed(from, to)
        .mapToObj(id -> new LoggedEvent(id, 0, Event.ofSchedule("" + id, "ACTIVE", null)))
        .toList();
  }

  private static List<String> names(Slice slice) {
    return slice.events().stream().map(read -> read.event().scheduleId()).toList();
  }

  @Test
  void thereIsNoPositionBeforeTheFirstRound() {
    assertThat(recent.position()).isEmpty();
    assertThat(recent.from(0, 10)).isEmpty();
  }

  @Test
  void eventsComeInTheOrderOfTheirRoundsWithTheirCursors() {
    recent.add(events(2, 4), 4, 0);
    recent.add(events(1, 1), 4, 4);
    recent.add(events(5, 6), 6, 6);

    Slice slice = recent.from(0, 10).orElseThrow();

    assertThat(names(slice)).containsExactly("2", "3", "4", "1", "5", "6");
    assertThat(slice.events())
        .extracting(ReadEvent::cursor)
        .containsExactly(0L, 0L, 0L, 1L, 5L, 6L);
    assertThat(slice.stable()).isEqualTo(6);
    assertThat(recent.position()).contains(new Position(6, 6, 6));
  }

  @Test
  void aSliceThatIsNotTheLastTellsNoStable() {
    recent.add(events(1, 5), 5, 5);

    assertThat(recent.from(0, 3).orElseThrow().stable()).isNull();
    assertThat(names(recent.from(3, 3).orElseThrow())).containsExactly("4", "5");
    assertThat(recent.from(5, 3).orElseThrow().events()).isEmpty();
  }

  @Test
  void theOldestAreForgotten() {
    recent.add(events(1, 10_001), 10_001, 10_001);

    assertThat(recent.from(0, 1)).isEmpty();
    assertThat(names(recent.from(1, 1).orElseThrow())).containsExactly("2");
    assertThat(names(recent.from(10_000, 5).orElseThrow())).containsExactly("10001");
  }

  @Test
  void aReaderFromBeforeAClearStartsAnew() {
    recent.add(events(1, 3), 3, 3);
    recent.clear();
    assertThat(recent.from(3, 1)).isEmpty();
    recent.add(events(4, 4), 4, 4);

    assertThat(recent.from(3, 1)).isEmpty();
    assertThat(names(recent.from(recent.position().orElseThrow().next() - 1, 1).orElseThrow()))
        .containsExactly("4");
  }
}
