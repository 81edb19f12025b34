package io.asyncflow.flowsvr.task.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.asyncflow.api.event.Event;
import io.asyncflow.flowsvr.base.system.Node;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletResponse;

/** The turns of a stream, which the test gives it one by one. */
class EventStreamTest {

  private static final List<ReadEvent> UNWANTED = page(1, "other");
  private static final List<ReadEvent> NONE = List.of();

  private final Queue<Runnable> turns = new ArrayDeque<>();
  private final EventReader reader = mock();
  private final MockHttpServletResponse response = new MockHttpServletResponse();
  private long nanos;
  private EventStream stream;

  @BeforeEach
  void aStreamThatIsToReadOn() {
    Node node =
        new Node() {
          @Override
          public long nanoTime() {
            return nanos;
          }
        };
    stream =
        new EventStream(
            mock(AsyncContext.class),
            (ServletOutputStream) response.getOutputStream(),
            () -> {},
            event -> event.taskType().equals("wanted"),
            reader,
            turns::add,
            node);
    when(reader.cursor()).thenReturn(Optional.of(7L));
    stream.onWritePossible();
    turns.clear();
    stream.advanced();
  }

  private static List<ReadEvent> page(long id, String type) {
    Event event = Event.ofSchedule("x", "ACTIVE", null).written("" + id, 0, null, type);
    return List.of(new ReadEvent(event, id));
  }

  private void takeTurn() {
    turns.remove().run();
  }

  private String written() throws Exception {
    return response.getContentAsString().replaceFirst("^retry: .*\n\n", "");
  }

  @Test
  void searchThroughManyPagesGivesItsThreadBackAfterEach() throws Exception {
    when(reader.read(anyInt()))
        .thenReturn(UNWANTED, UNWANTED, UNWANTED, page(4, "wanted"))
        .thenReturn(NONE);
    for (int reads = 1; reads <= 3; reads++) {
      takeTurn();
      verify(reader, times(reads)).read(anyInt());
      assertThat(turns).hasSize(1);
    }
    assertThat(written()).isEmpty();

    takeTurn();
    assertThat(written()).startsWith("id: 4\n");
    takeTurn();
    assertThat(turns).as("nothing to read at present").isEmpty();
  }

  @Test
  void searchTellsItsCursorWhileItGoesOn() throws Exception {
    when(reader.read(anyInt())).thenReturn(UNWANTED, UNWANTED, UNWANTED, NONE);
    takeTurn();
    assertThat(written()).isEmpty();

    nanos = Duration.ofSeconds(10).toNanos();
    takeTurn();
    assertThat(written()).isEqualTo(":\nid: 7\n\n");
    takeTurn();
    assertThat(written()).as("once in ten seconds").isEqualTo(":\nid: 7\n\n");
    assertThat(turns).hasSize(1);
  }

  @Test
  void searchEndsWithItsStream() {
    when(reader.read(anyInt())).thenReturn(UNWANTED, UNWANTED, UNWANTED, NONE);
    takeTurn();
    stream.close();
    takeTurn();

    assertThat(turns).isEmpty();
    verify(reader, times(1)).read(anyInt());
  }

  @Test
  void fastClientTakesATurnForEachPage() throws Exception {
    when(reader.read(anyInt())).thenReturn(page(1, "wanted"), page(2, "wanted")).thenReturn(NONE);
    takeTurn();
    assertThat(written()).contains("id: 1\n").doesNotContain("id: 2\n");
    takeTurn();
    assertThat(written()).contains("id: 2\n");
    takeTurn();
    assertThat(turns).isEmpty();
  }
}
