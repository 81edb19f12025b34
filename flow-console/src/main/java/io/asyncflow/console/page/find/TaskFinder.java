package io.asyncflow.console.page.find;

import com.fasterxml.jackson.databind.JsonNode;
import io.asyncflow.api.Call;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Task;
import io.asyncflow.api.find.FindClient;
import io.asyncflow.api.find.FoundTasks;
import io.asyncflow.api.find.RunningPage;
import io.asyncflow.api.find.RunningTask;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Visit;
import io.asyncflow.console.json.JsonTree;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Makes the calls of a search, and rows of what they answer. */
final class TaskFinder {

  /** The order that no search has: executing tasks, those first that have run for the longest. */
  static final String LONGEST = "LONGEST";

  static final List<String> ORDERS = List.of("NEWEST", "DUE", "LATEST_DUE", LONGEST);

  private static final String SEARCH = "/api/task/search";
  private static final Call<FoundTasks> FIND = Call.to(SEARCH, FoundTasks.class);

  /** The same as the API answers it. */
  private static final Call<JsonNode> DOWNLOAD = Call.to(SEARCH, JsonNode.class);

  private static final int PAGE = 100;
  private static final int DOWNLOADED = 200;

  /** A search that looks at more than this is not repeated every few seconds. */
  private static final int CHEAP = 2_000;

  private final Visit visit;
  private final SearchText q;
  private final String order;

  /**
   * @param order empty for the one that suits the words
   */
  TaskFinder(Visit visit, SearchText q, String order) {
    this.visit = visit;
    this.q = q;
    this.order = order;
  }

  /**
   * A page of the search.
   *
   * @throws FlowException if the words are refused
   */
  FindViews.Found find() {
    return order.equals(LONGEST) ? longest() : search();
  }

  private FindViews.Found search() {
    String cursor = visit.text("cursor");
    FoundTasks found = visit.send(page(FIND, PAGE));
    List<FindViews.Row> rows = found.taskList().stream().map(task -> row(task, null)).toList();
    String further =
        found.nextCursor() == null
            ? null
            : visit.to("/tasks", "q", q.text(), "order", order, "cursor", found.nextCursor());
    boolean isCheap = cursor.isEmpty() && found.looked() <= CHEAP;
    return new FindViews.Found(
        rows,
        found.looked(),
        found.lookedBackTo(),
        found.isWhole(),
        isCheap && q.values("text").isEmpty(),
        further,
        oneDay(found),
        visit.to("/tasks/download", "q", q.text(), "order", order, "cursor", cursor),
        rows.isEmpty() ? wider() : List.of());
  }

  private <T> Call<T> page(Call<T> search, int limit) {
    return words(search)
        .with("order", order.isEmpty() ? null : order)
        .with("cursor", visit.form().given("cursor"))
        .with("limit", limit);
  }

  private <T> Call<T> words(Call<T> search) {
    return search.with("q", q.text().isEmpty() ? null : q.text());
  }

  /** The JSON of a page of the search, as the API answers it. */
  String download() {
    if (!order.equals(LONGEST)) {
      return visit.send(page(DOWNLOAD, DOWNLOADED)).toPrettyString();
    }
    List<String> ids = running().runningList().stream().map(RunningTask::taskId).toList();
    return ids.isEmpty()
        ? "{\"taskList\":[]}"
        : visit.send(words(DOWNLOAD).with("taskId", ids)).toPrettyString();
  }

  static String address(Frame frame, String q, String order) {
    return frame.to("/tasks", "q", q, "order", order);
  }

  /** Executing tasks of the words' type and worker, of which the other words must fit, too. */
  private FindViews.Found longest() {
    RunningPage running = running();
    Map<String, RunningTask> byId =
        running.runningList().stream()
            .collect(Collectors.toMap(RunningTask::taskId, Function.identity(), (a, b) -> a));
    List<String> ids = running.runningList().stream().map(RunningTask::taskId).distinct().toList();
    List<Task> tasks =
        ids.isEmpty() ? List.of() : visit.send(words(FIND).with("taskId", ids)).taskList();
    List<FindViews.Row> rows =
        tasks.stream().map(task -> row(task, byId.get(task.taskId()).holdTime())).toList();
    return new FindViews.Found(
        rows,
        ids.size(),
        null,
        running.isWhole() && ids.size() < PAGE,
        true,
        null,
        null,
        visit.to("/tasks/download", "q", q.text(), "order", LONGEST),
        rows.isEmpty() ? wider() : List.of());
  }

  private RunningPage running() {
    String type = q.value("type");
    String worker = q.value("worker");
    return new FindClient(visit.api())
        .running(
            type.isEmpty() ? null : type,
            worker.isEmpty() || worker.endsWith("*") ? null : worker,
            PAGE);
  }

  private static FindViews.Row row(Task task, Long heldSince) {
    String error = JsonTree.memberOf(task.scheduleLog(), "lastData", "errMsg");
    return new FindViews.Row(task, error, heldSince);
  }

  /** By due time where that is the order; otherwise by the time of creation. */
  private String oneDay(FoundTasks found) {
    if (found.nextCursor() == null || found.lookedBackTo() == null) {
      return null;
    }
    String day =
        Instant.ofEpochMilli(found.lookedBackTo()).atZone(ZoneOffset.UTC).toLocalDate().toString();
    boolean isByDue = "idx_claim".equals(found.drivenBy());
    SearchText rest = isByDue ? q : q.withoutName("age");
    String name = isByDue ? "due" : "created";
    return q.value(name).equals(day)
        ? null
        : address(visit.frame(), rest.with(name, List.of(day)).text(), order);
  }

  private List<FindViews.Link> wider() {
    return q.words().size() < 2
        ? List.of()
        : q.words().stream()
            .map(
                word ->
                    new FindViews.Link(word.text(), address(visit.frame(), q.without(word), order)))
            .toList();
  }
}
