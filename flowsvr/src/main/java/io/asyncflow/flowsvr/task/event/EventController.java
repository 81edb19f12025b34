package io.asyncflow.flowsvr.task.event;

import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventFilter;
import io.asyncflow.api.event.EventPage;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.load.OpenCalls;
import io.asyncflow.flowsvr.edge.web.load.WaitingRequests;
import io.asyncflow.flowsvr.edge.web.load.WaitingRequests.Kind;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.flowsvr.edge.web.stream.StreamOpener;
import io.asyncflow.flowsvr.task.event.log.EventHistory;
import io.asyncflow.flowsvr.task.event.log.EventHistory.Cursors;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.field.EventFields;
import io.asyncflow.rules.field.PageFields;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

@RestController
@RequestMapping("/api/event")
class EventController {

  private final EventHistory history;
  private final TaskTypes types;
  private final EventTail tail;
  private final EventPages pages;
  private final EventThreads threads;
  private final StreamOpener opener;
  private final OpenCalls calls;
  private final WaitingRequests waiting;
  private final Node node;

  EventController(
      EventHistory history,
      TaskTypes types,
      EventTail tail,
      EventPages pages,
      EventThreads threads,
      StreamOpener opener,
      OpenCalls calls,
      WaitingRequests waiting,
      Node node) {
    this.history = history;
    this.types = types;
    this.tail = tail;
    this.pages = pages;
    this.threads = threads;
    this.opener = opener;
    this.calls = calls;
    this.waiting = waiting;
    this.node = node;
  }

  record Follow(List<String> taskTypes, List<String> kinds, String userId, String cursor) {}

  record ListEvents(
      List<String> taskTypes,
      List<String> kinds,
      String userId,
      String cursor,
      Integer limit,
      Integer waitMs) {}

  @Takes(summary = "Streams events, as they happen", shape = Follow.class)
  @Needs(Verb.EVENT_READ)
  @GetMapping("/stream")
  void stream(Fields in, Caller caller, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    EventForm form = read(in, request.getHeader(StreamOpener.LAST_EVENT_ID));
    in.refuseIfBad();
    Predicate<Event> wanted = wanted(form.filter(), caller);
    types.requireAll(form.filter().taskTypes());
    EventReader reader = tail.readerAfter(form.cursor());
    opener.open(
        request,
        response,
        (async, out, whenGone) ->
            new EventStream(async, out, whenGone, wanted, reader, threads, node),
        tail::add,
        tail::remove);
  }

  /**
   * What a caller wants to be told of.
   *
   * @param cursor an id; {@code null} for what comes from now on
   */
  private record EventForm(EventFilter filter, Long cursor) {}

  private EventForm read(Fields in, String lastEventId) {
    Cursors kept = history.cursors();
    return new EventForm(
        EventFields.filter(in), EventFields.cursor(in, lastEventId, kept.oldest(), kept.newest()));
  }

  /**
   * The wanted events among those that the caller sees.
   *
   * @throws io.asyncflow.flowsvr.edge.access.OutOfScopeException if the filter names a type or a
   *     user that it does not see
   */
  private static Predicate<Event> wanted(EventFilter filter, Caller caller) {
    if (!caller.isScoped()) {
      return filter::matches;
    }
    filter.taskTypes().forEach(caller::requireType);
    if (filter.userId() != null) {
      caller.requireUser(filter.userId());
    }
    return event ->
        filter.matches(event)
            && caller.sees(event.taskType(), event.userId() == null ? "" : event.userId());
  }

  @Takes(summary = "Lists events after a cursor, oldest first", shape = ListEvents.class)
  @Needs(Verb.EVENT_READ)
  @GetOrPost("/list")
  DeferredResult<Envelope<EventPage>> list(Fields in, Caller caller, HttpServletRequest request) {
    EventForm form = read(in, null);
    int limit = PageFields.limit(in);
    int waitMs = EventFields.waitMs(in);
    in.refuseIfBad();
    Predicate<Event> wanted = wanted(form.filter(), caller);
    types.requireAll(form.filter().taskTypes());
    Runnable leave = waiting.enter(Kind.EVENT_LIST, request.getRemoteAddr());
    CompletableFuture<EventPage> page;
    try {
      page = pages.next(form.cursor(), wanted, limit, Duration.ofMillis(waitMs));
    } catch (Throwable e) { // without a page nothing leaves the share
      leave.run();
      throw e;
    }
    DeferredResult<Envelope<EventPage>> answer = new DeferredResult<>();
    answer.onTimeout(() -> page.cancel(false));
    answer.onError(failure -> page.cancel(false)); // the client is gone
    Runnable over = calls.add(() -> page.completeExceptionally(OpenCalls.keyEnded()));
    page.whenComplete(
        (events, failure) -> {
          leave.run();
          over.run();
          if (failure == null) {
            answer.setResult(Envelope.ok(events));
          } else {
            answer.setErrorResult(failure);
          }
        });
    return answer;
  }
}
