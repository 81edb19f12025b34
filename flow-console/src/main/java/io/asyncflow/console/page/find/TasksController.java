package io.asyncflow.console.page.find;

import io.asyncflow.api.FieldError;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Pages;
import io.asyncflow.console.frame.Visit;
import io.asyncflow.console.page.TaskWords;
import io.asyncflow.console.page.TypeNames;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** The search for tasks. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}/tasks")
public class TasksController {

  /** Searches that every operator has, by the keys of their words. */
  private static final List<Common> COMMON =
      List.of(
          new Common("find.saved.failed", "status:failed due>-1h", ""),
          new Common("find.saved.late", "status:waiting due<-1m", ""),
          new Common("find.saved.longest", "status:executing", TaskFinder.LONGEST));

  private record Common(String key, String q, String order) {}

  @GetMapping
  public ResponseEntity<byte[]> find(
      Visit visit,
      @CookieValue(name = SavedSearches.COOKIE, defaultValue = "") String saved,
      @CookieValue(name = Column.COOKIE, defaultValue = "") String columns) {
    SearchText q = SearchText.of(visit.text("q"));
    String page = TaskWords.pageOf(q.text());
    if (page != null) {
      return visit.goTo(page);
    }
    String order = TaskFinder.ORDERS.contains(visit.text("order")) ? visit.text("order") : "";
    FindViews.Refusal refusal = null;
    FindViews.Found found = null;
    try {
      found = new TaskFinder(visit, q, order).find();
    } catch (FlowException refused) {
      refusal = refusal(q, refused);
    }
    Facets facets = found == null ? Facets.NONE : Facets.read(visit, q, order);
    return visit.show(
        "tasks",
        new FindViews.Listed(
            q.text(),
            order,
            refusal,
            found,
            builder(q),
            facets.statuses(),
            facets.stages(),
            saved(visit.frame(), SavedSearches.of(saved)),
            Column.of(columns),
            TypeNames.read(visit),
            SelectedController.actsOf(visit)));
  }

  /**
   * @throws FlowException the refusal, if it is not the words' fault
   */
  private static FindViews.Refusal refusal(SearchText q, FlowException refused) {
    int status = refused.errorCode().httpStatus();
    if (status != 400 && status != 403 && status != 404) {
      throw refused;
    }
    List<String> messages =
        refused.errors().isEmpty()
            ? List.of(refused.getMessage())
            : refused.errors().stream().map(FieldError::message).toList();
    List<FindViews.Piece> pieces = new ArrayList<>();
    for (SearchText.Word word : q.words()) {
      boolean isWrong =
          messages.stream().anyMatch(message -> SearchText.isMeant(word, message))
              || word == q.words().get(q.words().size() - 1)
                  && messages.stream().anyMatch(message -> message.contains("quote"));
      pieces.add(new FindViews.Piece(word.text(), isWrong));
    }
    return new FindViews.Refusal(messages, pieces);
  }

  private static FindViews.Builder builder(SearchText q) {
    Map<TaskStatus, Boolean> statuses = new LinkedHashMap<>();
    List<String> set = q.values("status");
    for (TaskStatus status : TaskStatus.values()) {
      statuses.put(status, set.stream().anyMatch(value -> value.equalsIgnoreCase(status.name())));
    }
    return new FindViews.Builder(
        q.value("type"),
        statuses,
        String.join(",", q.values("stage")),
        String.join(",", q.values("user")),
        String.join(",", q.values("worker")),
        q.value("text"),
        q.bound("age", "<"));
  }

  private static List<FindViews.Saved> saved(Frame frame, SavedSearches own) {
    List<FindViews.Saved> all = new ArrayList<>();
    for (Common common : COMMON) {
      String url = TaskFinder.address(frame, common.q(), common.order());
      all.add(new FindViews.Saved(frame.t(common.key()), url, false));
    }
    own.byName()
        .forEach(
            (name, saved) ->
                all.add(
                    new FindViews.Saved(
                        name, TaskFinder.address(frame, saved.q(), saved.order()), true)));
    return all;
  }

  /** Makes words of the fields below the search, and searches for them. */
  @GetMapping("/build")
  public ResponseEntity<byte[]> build(Visit visit) {
    List<String> statuses =
        visit.form().all("status").stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
    SearchText q =
        SearchText.of(visit.text("q"))
            .with("type", List.of(visit.text("type")))
            .with("status", statuses);
    for (String name : List.of("stage", "user", "worker")) {
      q = q.with(name, List.of(visit.text(name).split(",")));
    }
    q = q.with("text", List.of(visit.text("text"))).withBound("age", "<", visit.text("age"));
    return Pages.goTo(TaskFinder.address(visit.frame(), q.text(), visit.text("order")));
  }

  /** A page of a search as the API answers it, of the tasks that the page shows and some more. */
  @GetMapping("/download")
  public ResponseEntity<byte[]> download(Visit visit) {
    TaskFinder finder = new TaskFinder(visit, SearchText.of(visit.text("q")), visit.text("order"));
    return ResponseEntity.ok()
        .contentType(MediaType.APPLICATION_JSON)
        .header(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"tasks.json\"")
        .header(HttpHeaders.CACHE_CONTROL, "no-store")
        .body(finder.download().getBytes(StandardCharsets.UTF_8));
  }
}
