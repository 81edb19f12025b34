package io.asyncflow.flowsvr.task.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventPage;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.task.event.EventTail.Listener;
import io.asyncflow.flowsvr.task.event.log.EventStore;
import io.asyncflow.flowsvr.task.event.log.LoggedEvent;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.mockito.invocation.InvocationOnMock;

class EventPagesTest {

  private static final Duration WAIT = Duration.ofSeconds(30);

  private OptionalLong stable = OptionalLong.empty();
  private long rounds;
  private final EventStore store = mock();
  private final EventTail tail =
      mock(EventTail.class, withSettings().stubOnly().defaultAnswer(this::answerOfTheTail));
  private final EventThreads here =
      new EventThreads() {
        @Override
        public void execute(Runnable read) {
          read.run();
        }
      };
  private final EventPages pages = new EventPages(tail, store, here, new Node());

  private CompletableFuture<EventPage> next(Duration wait) {
    return pages.next(0L, event -> true, 100, wait);
  }

  /** Not stubbed one by one, because a stubbing keeps what it was called with. */
  private Object answerOfTheTail(InvocationOnMock call) {
    return switch (call.getMethod().getName()) {
      case "roundsBegun" -> rounds++;
      case "stable" -> stable;
      case "add" -> {
        if (stable.isPresent()) {
          call.<Listener>getArgument(0).advanced();
        }
        yield null;
      }
      default -> null;
    };
  }

  private void letTheTailReadOneEvent() {
    Event event = Event.ofSchedule("x", "ACTIVE", null);
    when(store.page(anyLong(), anyLong(), anyInt()))
        .thenReturn(List.of(new LoggedEvent(1, 0, event)));
    stable = OptionalLong.of(1);
  }

  private WeakReference<EventPage> answered() {
    CompletableFuture<EventPage> page = next(WAIT);
    assertThat(page).isCompletedWithValueMatching(found -> found.eventList().size() == 1);
    return new WeakReference<>(page.join());
  }

  @Test
  void aPageThatIsAnsweredIsNotKept() {
    letTheTailReadOneEvent();
    WeakReference<EventPage> page = answered();
    tail.stable(); // a mock keeps what it was last called with

    await()
        .atMost(WAIT.dividedBy(2))
        .until(
            () -> {
              System.gc();
              return page.get() == null;
            });
  }

  @Test
  void aPageIsRefusedWhenTheTailHasNotReadInTime() {
    CompletableFuture<EventPage> page = next(EventPages.PATIENCE.negated());

    assertThatThrownBy(() -> page.get(WAIT.toSeconds(), TimeUnit.SECONDS))
        .cause()
        .isInstanceOfSatisfying(
            FlowException.class,
            refusal -> assertThat(refusal.errorCode()).isEqualTo(ErrorCode.UNAVAILABLE));
  }
}
