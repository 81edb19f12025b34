package io.asyncflow.flowsvr.operate.stats;

import io.asyncflow.api.stats.FailurePage;
import io.asyncflow.api.stats.FailureRequest;
import io.asyncflow.api.stats.Overview;
import io.asyncflow.api.stats.Series;
import io.asyncflow.api.stats.SeriesRequest;
import io.asyncflow.api.stats.StageList;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.flowsvr.operate.stats.history.FailureQueries;
import io.asyncflow.flowsvr.operate.stats.history.SeriesQueries;
import io.asyncflow.flowsvr.operate.stats.present.PresentQueries;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.PageFields;
import io.asyncflow.rules.field.TaskFields;
import io.asyncflow.rules.field.TaskLimits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Numbers about tasks of all users of a type, so a caller that sees some users alone gets none of
 * them.
 */
@RestController
@RequestMapping("/api/stats")
class StatsController {

  private static final int MAX_TYPES = 20;
  private static final int TYPE_NAME = 31;
  private static final int LEAST_POINTS = 10;
  static final int MAX_POINTS = 500;
  private static final int DEFAULT_POINTS = 60;
  private static final int MAX_CURSOR = 80;
  private static final List<String> VERDICTS =
      List.of("RETRY", "FAIL", "TIMED_OUT", "WORKER_LOST", "POISON", "OPERATOR");

  private final PresentQueries present;
  private final SeriesQueries series;
  private final FailureQueries failures;
  private final TaskTypes types;
  private final Duration history;

  StatsController(
      PresentQueries present,
      SeriesQueries series,
      FailureQueries failures,
      TaskTypes types,
      @Value("${flow.stats.history:14d}") Duration history) {
    this.present = present;
    this.series = series;
    this.failures = failures;
    this.types = types;
    this.history = history;
  }

  record OfType(String taskType) {}

  @Takes(summary = "Shows how the work of all types stands")
  @Needs(Verb.STATS_READ)
  @GetOrPost("/overview")
  Envelope<Overview> overview(Caller caller) {
    caller.requireAllUsers();
    return Envelope.ok(present.overview(caller.scope().types()));
  }

  @Takes(summary = "Shows how the stages of a type stand", shape = OfType.class)
  @Needs(Verb.STATS_READ)
  @GetOrPost("/stages")
  Envelope<StageList> stages(Fields in, Caller caller) {
    TaskType type = TaskFields.existingType(in);
    in.refuseIfBad();
    caller.requireType(type.name());
    caller.requireAllUsers();
    return Envelope.ok(present.stages(type));
  }

  @Takes(summary = "Shows numbers over time", shape = SeriesRequest.class, list = true)
  @Needs(Verb.STATS_READ)
  @GetOrPost("/series")
  Envelope<Series> series(Fields in, Caller caller) {
    SortedSet<String> names = typeNames(in);
    String stage = in.text("taskStage").name().max(TaskLimits.STAGE).or("");
    int points = in.number("points").between(LEAST_POINTS, MAX_POINTS).or(DEFAULT_POINTS);
    Span span = span(in);
    in.refuseIfBad();
    names.forEach(caller::requireType);
    caller.requireAllUsers();
    types.requireAll(names);
    return Envelope.ok(
        series.get(new SeriesQueries.Asked(names, stage, span.from(), span.to(), points)));
  }

  @Takes(summary = "Lists failures that are alike", shape = FailureRequest.class, list = true)
  @Needs(Verb.STATS_READ)
  @GetOrPost("/failures")
  Envelope<FailurePage> failures(Fields in, Caller caller) {
    TaskType type = in.text("taskType").as(TaskType::parse, "is not a valid task type");
    String stage = in.text("taskStage").name().max(TaskLimits.STAGE).value();
    String verdict = in.text("verdict").as(StatsController::verdict, "must be one of " + VERDICTS);
    Span span = span(in);
    int limit = PageFields.limit(in);
    FailureQueries.Cursor after =
        in.text("cursor")
            .max(MAX_CURSOR)
            .as(FailureQueries.Cursor::parse, "is not a cursor of this list");
    in.refuseIfBad();
    if (type != null) {
      caller.requireType(type.name());
    }
    caller.requireAllUsers();
    if (type != null) {
      types.require(type);
    }
    List<String> asked = type == null ? seenBy(caller) : List.of(type.name());
    return Envelope.ok(
        failures.page(
            new FailureQueries.Asked(asked, stage, verdict, span.from(), span.to(), limit, after)));
  }

  private static SortedSet<String> typeNames(Fields in) {
    SortedSet<String> names = new TreeSet<>();
    if (!in.has("taskType")) {
      in.refuse("taskType", "is required");
    }
    for (String name : in.names("taskType").max(MAX_TYPES, TYPE_NAME).notEmpty().values()) {
      TaskType.parse(name)
          .ifPresentOrElse(
              type -> names.add(type.name()),
              () -> in.refuse("taskType", "names what is not a valid task type"));
    }
    return names;
  }

  private List<String> seenBy(Caller caller) {
    return types.all().stream().map(type -> type.type().name()).filter(caller::seesType).toList();
  }

  /**
   * A stretch of time.
   *
   * @param from epoch ms; {@code null} for the default
   * @param to epoch ms; {@code null} for now
   */
  private record Span(Long from, Long to) {}

  private Span span(Fields in) {
    Long from = in.number("from").epochMs().asLong();
    Long to = in.number("to").epochMs().asLong();
    if (from != null && to == null) {
      in.refuse("to", "is required with from");
    } else if (from != null && from >= to) {
      in.refuse("to", "must be after from");
    } else if (from != null && to - from > history.toMillis()) {
      in.refuse("from", "must be at most " + history.toHours() + " hours before to");
    }
    return new Span(from, to);
  }

  private static Optional<String> verdict(String name) {
    return Optional.of(name).filter(VERDICTS::contains);
  }
}
