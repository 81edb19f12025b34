package io.asyncflow.api.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.Call;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.EventStream;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.Transport;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class EventFollowerTest {

  private static final RuntimeException ENOUGH = new IllegalStateException("enough");

  private final List<String> calls = new ArrayList<>();
  private final List<Event> told = new ArrayList<>();
  private final List<String> cursors = new ArrayList<>();

  /** A server whose streams end or break after what they tell. */
  private final class Server implements Transport {

    private final String name;
    private final Deque<List<Object>> streams = new ArrayDeque<>();

    Server(String name) {
      this.name = name;
    }

    /** A number tells an event with this cursor, a text the cursor alone; an exception breaks. */
    Server telling(Object... answers) {
      streams.add(Arrays.asList(answers));
      return this;
    }

    EventClient events() {
      return new EventClient(this);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T send(Call<T> call) {
      if (call.path().equals("/api/event/list")) {
        calls.add(name + " lists " + call.fields().get("cursor"));
        return (T) new EventPage(List.of(), "now");
      }
      return (T) open((String) call.fields().get(Call.LAST_EVENT_ID));
    }

    private EventStream<FollowedEvent> open(String cursor) {
      calls.add(name + " after " + cursor);
      if (streams.isEmpty()) {
        throw ENOUGH;
      }
      Deque<Object> answers = new ArrayDeque<>(streams.remove());
      return new EventStream<FollowedEvent>() {
        @Override
        public FollowedEvent next() {
          Object answer = answers.poll();
          if (answer instanceof RuntimeException failure) {
            throw failure;
          }
          if (answer instanceof String cursorAlone) {
            return new FollowedEvent(null, cursorAlone);
          }
          return answer == null ? null : new FollowedEvent(event(), answer.toString());
        }

        @Override
        public void close() {
          calls.add(name + " closed");
        }
      };
    }
  }

  private static Event event() {
    return Event.ofSchedule("1", "ACTIVE", null);
  }

  private void follow(Server... servers) {
    assertThatThrownBy(
            () ->
                new EventFollower(
                        Arrays.stream(servers).map(Server::events).toList(), Duration.ofMillis(1))
                    .follow(EventFilter.ALL, "0", told::add, cursors::add))
        .isSameAs(ENOUGH);
  }

  @Test
  void itGoesOnAtTheNextServerFromItsLastCursor() {
    Server one = new Server("one").telling(1, 2);
    Server two = new Server("two").telling(3, new FlowUnreachableException("cut", new Exception()));

    follow(one, two);

    assertThat(told).hasSize(3);
    assertThat(cursors).containsExactly("1", "2", "3");
    assertThat(calls)
        .containsExactly("one after 0", "one closed", "two after 2", "two closed", "one after 3");
  }

  @Test
  void aCursorAloneIsKeptAndNoEvent() {
    follow(new Server("one").telling(1, "7"));

    assertThat(told).hasSize(1);
    assertThat(cursors).containsExactly("1", "7");
    assertThat(calls).endsWith("one after 7");
  }

  /** The first stream may break before it has told a cursor. */
  @Test
  void fromNowOnIsTheCursorThatTheServerSaysBefore() {
    Server one = new Server("one").telling(new FlowUnreachableException("cut", new Exception()));
    EventFollower follower = new EventFollower(List.of(one.events()), Duration.ofMillis(1));

    assertThatThrownBy(() -> follower.follow(EventFilter.ALL, null, told::add, cursors::add))
        .isSameAs(ENOUGH);

    assertThat(calls)
        .containsExactly("one lists null", "one after now", "one closed", "one after now");
  }

  @Test
  void aRefusalEndsIt() {
    FlowException refusal =
        new FlowException(ErrorCode.INVALID_INPUT, "cursor is older than the events that are kept");
    EventFollower follower =
        new EventFollower(
            List.of(new Server("one").telling(refusal).events()), Duration.ofMillis(1));

    assertThatThrownBy(() -> follower.follow(EventFilter.ALL, "0", told::add, cursors::add))
        .isSameAs(refusal);
  }

  @Test
  void anEventThatTheListenerDidNotTakeIsToldAgain() {
    EventFollower follower =
        new EventFollower(List.of(new Server("one").telling(1).events()), Duration.ofMillis(1));

    assertThatThrownBy(
            () ->
                follower.follow(
                    EventFilter.ALL,
                    "0",
                    event -> {
                      throw ENOUGH;
                    },
                    cursors::add))
        .isSameAs(ENOUGH);
    assertThat(cursors).isEmpty();
    assertThat(calls).containsExactly("one after 0", "one closed");
  }

  @Test
  void aFilterWantsWhatSatisfiesAllItsConditions() {
    Event held =
        new Event(
            "1",
            1L,
            EventKind.HELD,
            "t",
            "lark",
            "s",
            "ann",
            2,
            1,
            0,
            null,
            null,
            null,
            "w",
            null,
            null);

    assertThat(EventFilter.ALL.matches(held)).isTrue();
    assertThat(EventFilter.ALL.ofTypes("lark").ofKinds(EventKind.HELD).ofUser("ann").matches(held))
        .isTrue();
    assertThat(EventFilter.ALL.ofTypes("other").matches(held)).isFalse();
    assertThat(EventFilter.ALL.ofKinds(EventKind.CREATED).matches(held)).isFalse();
    assertThat(EventFilter.ALL.ofUser("bob").matches(held)).isFalse();
  }

  @Test
  void aKindKeepsItsNumber() {
    for (EventKind kind : EventKind.values()) {
      assertThat(EventKind.ofCode(kind.code())).contains(kind);
    }
    assertThat(EventKind.ofCode(99)).isEmpty();
  }
}
