package io.asyncflow.flowsvr.operate.search;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.find.SearchOrder;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Scope;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.StatusBits;
import io.asyncflow.flowsvr.operate.search.words.SearchTerms;
import io.asyncflow.flowsvr.operate.search.words.SearchWords;
import io.asyncflow.flowsvr.operate.search.words.SearchWords.Word;
import io.asyncflow.flowsvr.operate.search.words.Span;
import io.asyncflow.flowsvr.operate.search.words.TaskFilter;
import io.asyncflow.rules.field.TaskLimits;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Reads a search from the fields of a request: from {@code q}, from single fields, or from both.
 */
public final class SearchForm {

  /** The fields that say which tasks are searched for. */
  private static final Set<String> FILTER =
      Arrays.stream(SearchController.Search.class.getRecordComponents())
          .map(RecordComponent::getName)
          .filter(name -> !Set.of("order", "limit", "cursor").contains(name))
          .collect(toSet());

  private static final int MAX_Q = 1_000;
  private static final int MAX_PAGE = 200;
  private static final int DEFAULT_PAGE = 100;
  private static final int MAX_CURSOR = 64;
  private static final int MAX_ID = 128;
  private static final int MAX_TEXT = 200;

  private final Fields in;
  private final Fields whole;
  private final SearchTerms terms;

  /**
   * @param whole all fields of the request, of which {@code in} may be a part
   */
  private SearchForm(Fields in, Fields whole, long now) {
    this.in = in;
    this.whole = whole;
    this.terms = new SearchTerms(now);
  }

  /**
   * @param now epoch ms by the database's clock
   * @throws io.asyncflow.api.FlowException if any field is invalid, or beyond what the caller may
   *     search
   */
  static TaskSearch.Request read(Fields in, long now, Caller caller) {
    return new SearchForm(in, in, now).read(caller);
  }

  /**
   * Reads which tasks are searched for, and nothing else: other fields are refused, because a
   * search that ignored them would find more.
   *
   * @param whole all fields of the request, of which {@code in} may be a part
   * @param now epoch ms by the database's clock; with the same one the same fields say the same
   * @throws io.asyncflow.api.FlowException if any field is invalid, or beyond what the caller may
   *     search
   */
  public static TaskSearch.Request readFilter(Fields in, Fields whole, long now, Caller caller) {
    in.refuseUnknown(FILTER);
    SearchForm form = new SearchForm(in, whole, now);
    form.readTerms();
    if (in.refusal().isEmpty() && form.terms.filter().isAll()) {
      in.refuse("q", "is required, or another field: all tasks are too many");
    }
    return form.request(caller);
  }

  private TaskSearch.Request read(Caller caller) {
    readTerms();
    return request(caller);
  }

  private void readTerms() {
    readQ();
    readFields();
  }

  private TaskSearch.Request request(Caller caller) {
    int limit = in.number("limit").between(1, MAX_PAGE).or(DEFAULT_PAGE);
    SearchOrder order = in.text("order").as(SearchForm::order, "must be NEWEST, DUE or LATEST_DUE");
    String cursor = in.text("cursor").ascii().max(MAX_CURSOR).value();
    TaskFilter filter = terms.filter();
    if (order != null && order != SearchOrder.NEWEST && filter.statuses().isEmpty()) {
      in.refuse("order", "by due time needs a status");
    }
    TaskFilter allowed = caller.seesAllUsers() ? filter : ofScope(filter, order, caller);
    whole.refuseIfBad();
    filter.types().forEach(type -> caller.requireType(type.name()));
    if (!filter.texts().isEmpty()) {
      caller.require(Verb.CONTEXT_READ);
    }
    boolean isOfUsers = !caller.seesAllUsers();
    return new TaskSearch.Request(allowed, isOfUsers ? SearchOrder.NEWEST : order, limit, cursor);
  }

  private void readQ() {
    String q = in.text("q").max(MAX_Q).or("");
    SearchWords.Parsed parsed = SearchWords.parse(q);
    parsed.errors().forEach(error -> in.refuse("q", error));
    for (Word word : parsed.words()) {
      refuse("q", terms.add(word));
    }
  }

  private void readFields() {
    names("taskType", "type", 31);
    Set<TaskStatus> statuses = StatusBits.read(in, "status");
    refuse("status", terms.add("status", statuses.stream().map(TaskStatus::name).toList()));
    names("stages", "stage", TaskLimits.STAGE);
    names("userId", "user", TaskLimits.USER_ID);
    names("workerId", "worker", TaskLimits.WORKER_ID + 1);
    names("taskId", "id", MAX_ID);
    one("jobId", "job", 20);
    one("text", "text", MAX_TEXT);
    terms.addCreated(span("created"));
    terms.addDue(span("due"));
    Integer retriesMin = in.number("retriesMin").between(0, TaskLimits.RETRIES).asInteger();
    if (retriesMin != null) {
      terms.addRetriesMin(retriesMin);
    }
  }

  private void names(String field, String name, int length) {
    Set<String> values = in.names(field).max(SearchTerms.MOST_VALUES, length).values();
    refuse(field, terms.add(name, List.copyOf(values)));
  }

  private void one(String field, String name, int length) {
    String value = in.text(field).max(length).value();
    refuse(field, value == null || value.isEmpty() ? null : terms.add(name, List.of(value)));
  }

  private Span span(String field) {
    Long from = in.number(field + "From").epochMs().asLong();
    Long to = in.number(field + "To").epochMs().asLong();
    return new Span(from == null ? Span.ALWAYS.from() : from, to == null ? Span.ALWAYS.to() : to);
  }

  private void refuse(String field, String why) {
    if (why != null) {
      in.refuse(field, why);
    }
  }

  /**
   * For a caller that sees some users alone: the search goes through these users' tasks, so that
   * neither its cost nor its cursors tell of others.
   */
  private TaskFilter ofScope(TaskFilter filter, SearchOrder order, Caller caller) {
    if (order != null && order != SearchOrder.NEWEST) {
      in.refuse("order", "must be NEWEST: your key does not reach all users");
    }
    if (!filter.ids().isEmpty() || filter.jobId() != null) {
      return filter;
    }
    Scope scope = caller.scope();
    if (filter.users().isEmpty()) {
      if (!scope.users().prefixes().isEmpty() || scope.users().listed().isEmpty()) {
        in.refuse("userId", "is required: your key does not reach all users");
        return filter;
      }
      return filter.ofUsers(scope.users().listed());
    }
    whole.refuseIfBad();
    filter.users().forEach(caller::requireUser);
    return filter;
  }

  private static Optional<SearchOrder> order(String text) {
    String name = text.toUpperCase(Locale.ROOT);
    return Arrays.stream(SearchOrder.values()).filter(o -> o.name().equals(name)).findFirst();
  }
}
