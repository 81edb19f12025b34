package io.asyncflow.console.page.find;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.Task;
import io.asyncflow.api.find.FoundTasks;
import io.asyncflow.api.find.RunningPage;
import io.asyncflow.api.find.RunningTask;
import io.asyncflow.console.frame.Calls;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.json.JsonTree;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/** Makes the calls of a search, and rows of what they answer. Thread-safe. */
@Component
public class TaskFinder {

  /** The order that no search has: executing tasks, those first that have run for the longest. */
  static final String LONGEST = "LONGEST";

  static final List<String> ORDERS = List.of("NEWEST", "DUE", "LATEST_DUE", LONGEST);

  private static final String SEARCH = "/api/task/search";
  private static final int PAGE = 100;
  private static final int DOWNLOADED = 200;

  /** A search that looks at more than this is not repeated every few seconds. */
  private static final int CHEAP = 2_000;

  private final Calls calls;

  public TaskFinder(Calls calls) {
    this.calls = calls;
  }

  /**
   * A page of a search.
   *
   * @param order empty for the one that suits the words
   * @param cursor empty for the first page
   * @throws FlowException if the words are refused
   */
  FindViews.Found find(Frame frame, SearchText q, String order, String cursor) {
    return order.equals(LONGEST) ? longest(frame, q) : search(frame, q, order, cursor);
  }

  private FindViews.Found search(Frame frame, SearchText q, String order, String cursor) {
    FoundTasks found = search(q.text(), order, cursor);
    List<FindViews.Row> rows = found.taskList().stream().map(task -> row(task, null)).toList();
    String further =
        found.nextCursor() == null
            ? null
            : address(frame, q.text(), order, "cursor", found.nextCursor());
    boolean isCheap = cursor.isEmpty() && found.looked() <= CHEAP;
    return new FindViews.Found(
        rows,
        found.looked(),
        found.lookedBackTo(),
        found.isWhole(),
        cursor.isEmpty(),
        isCheap && q.values("text").isEmpty(),
        further,
        oneDay(frame, q, order, found),
        frame.to("/tasks/download", "q", q.text(), "order", order, "cursor", cursor),
        rows.isEmpty() ? wider(frame, q, order) : List.of());
  }

  private FoundTasks search(String q, String order, String cursor) {
    return calls.get(
        FoundTasks.class, SEARCH, "q", q, "order", order, "cursor", cursor, "limit", PAGE);
  }

  /** The JSON of a page of a search, as the API answers it. */
  String download(SearchText q, String order, String cursor) {
    if (!order.equals(LONGEST)) {
      return calls
          .call(SEARCH, "q", q.text(), "order", order, "cursor", cursor, "limit", DOWNLOADED)
          .toPrettyString();
    }
    List<String> ids = running(q).runningList().stream().map(RunningTask::taskId).toList();
    return ids.isEmpty()
        ? "{\"taskList\":[]}"
        : calls.call(SEARCH, "q", q.text(), "taskId", ids).toPrettyString();
  }

  static String address(Frame frame, String q, String order, String... more) {
    Object[] query = new Object[4 + more.length];
    query[0] = "q";
    query[1] = q;
    query[2] = "order";
    query[3] = order;
    System.arraycopy(more, 0, query, 4, more.length);
    return frame.to("/tasks", query);
  }

  /** Executing tasks of the words' type and worker, of which the other words must fit, too. */
  private FindViews.Found longest(Frame frame, SearchText q) {
    RunningPage running = running(q);
    Map<String, RunningTask> byId =
        running.runningList().stream()
            .collect(Collectors.toMap(RunningTask::taskId, Function.identity(), (a, b) -> a));
    List<String> ids = running.runningList().stream().map(RunningTask::taskId).distinct().toList();
    List<Task> tasks =
        ids.isEmpty()
            ? List.of()
            : calls.get(FoundTasks.class, SEARCH, "q", q.text(), "taskId", ids).taskList();
    List<FindViews.Row> rows =
        tasks.stream().map(task -> row(task, byId.get(task.taskId()).holdTime())).toList();
    return new FindViews.Found(
        rows,
        ids.size(),
        null,
        running.isWhole() && ids.size() < PAGE,
        true,
        true,
        null,
        null,
        frame.to("/tasks/download", "q", q.text(), "order", LONGEST),
        rows.isEmpty() ? wider(frame, q, LONGEST) : List.of());
  }

  private RunningPage running(SearchText q) {
    String worker = q.value("worker");
    return calls.get(
        RunningPage.class,
        "/api/task/running",
        "taskType",
        q.value("type"),
        "workerId",
        worker.endsWith("*") ? "" : worker,
        "limit",
        PAGE);
  }

  private static FindViews.Row row(Task task, Long heldSince) {
    String error = JsonTree.memberOf(task.scheduleLog(), "lastData", "errMsg");
    return new FindViews.Row(task, error, heldSince);
  }

  /** By due time where that is the order; otherwise by the time of creation. */
  private static String oneDay(Frame frame, SearchText q, String order, FoundTasks found) {
    if (found.nextCursor() == null || found.lookedBackTo() == null) {
      return null;
    }
    String day =
        Instant.ofEpochMilli(found.lookedBackTo()).atZone(ZoneOffset.UTC).toLocalDate().toString();
    boolean isByDue = "idx_claim".equals(found.drivenBy());
    SearchText rest = isByDue ? q : q.withoutNames(Set.of("age"));
    String name = isByDue ? "due" : "created";
    return q.value(name).equals(day)
        ? null
        : address(frame, rest.with(name, List.of(day)).text(), order);
  }

  private static List<FindViews.Link> wider(Frame frame, SearchText q, String order) {
    return q.words().size() < 2
        ? List.of()
        : q.words().stream()
            .map(
                word ->
                    new FindViews.Link(
                        q.text().substring(word.from(), word.to()),
                        address(frame, q.without(word), order)))
            .toList();
  }
}
