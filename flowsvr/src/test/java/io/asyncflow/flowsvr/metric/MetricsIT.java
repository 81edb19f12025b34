package io.asyncflow.flowsvr.metric;

import static java.util.concurrent.TimeUnit.SECONDS;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.metric.Exposition.Family;
import io.asyncflow.flowsvr.metric.Exposition.Sample;
import io.asyncflow.flowsvr.queue.lease.ExpiredLeaseSweep;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What tasks of several types, a job and a schedule leave in the metrics of their server, and that
 * dashboards, alerts and documents speak of what is there. On a server of its own: a server counts
 * by type for its first 200 types, and a shared one has seen more.
 */
@UnsweptServer
@TestPropertySource(properties = "spring.application.name=metered")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MetricsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Path ROOT = Path.of("..");
  private static final String OURS = "asyncflow_";
  private static final String OF_WORKERS = "asyncflow_worker_";

  /** OutboxOnH2Test looks at what is asked of it. */
  private static final String OF_APPLICATIONS = "asyncflow_outbox_tasks";

  private static final String FAILED = "8";
  private static final String FIRES = "asyncflow_schedule_fires_total";

  /** What a scrape adds to each series. */
  private static final Set<String> OF_THE_TARGET = Set.of("job", "instance");

  /** What is not seen here, because nothing of the kind happens, by its labels. */
  private static final Map<String, Set<String>> UNSEEN =
      Map.of(
          "asyncflow_access_expires_seconds",
          Set.of("key"),
          "asyncflow_access_ignored",
          Set.of(), // both of a server with access keys
          "asyncflow_events_written_total",
          Set.of("type"),
          "asyncflow_lanes",
          Set.of("type"),
          OF_APPLICATIONS,
          Set.of("state"),
          "ssl_chain_expiry_seconds",
          Set.of("bundle", "certificate", "chain"),
          "up",
          Set.of()); // Prometheus makes it of each scrape

  @LocalServerPort int port;
  @Autowired Given given;
  @Autowired ExpiredLeaseSweep sweep;

  private Wire wire;
  private TaskType lark;
  private TaskType fired;
  private Exposition server;

  @BeforeAll
  void liveAndScrape() throws IOException {
    wire = new Wire(port);
    lark = given.aType().with("max_delivery", 1).create();
    reportAllOutcomes();
    loseTwice();
    endByHand();
    fire();
    wire.post("/api/task_schedule_cfg/save", "{'task_type':'filmed'}");
    ok("/api/job/createJob", "{'jobData':{'userId':'u','jobType':'filmed','jobInput':'x'}}");
    given.aWaitingTask().ofType(lark).inStage("later").create(2);
    await()
        .atMost(PATIENCE)
        .until(() -> scrape("?includedNames=asyncflow_leader").sum("asyncflow_leader") == 1);
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              System.gc(); // its pauses are in a panel
              return scrape("?includedNames=asyncflow_schedule_fires," + FIRES)
                          .sum(FIRES, "type", fired.name())
                      == 1
                  && !scrape("?includedNames=jvm_gc_pause_seconds").families().isEmpty()
                  && !scrape("?includedNames=asyncflow_tasks_late_seconds").families().isEmpty()
                  && !scrape("?includedNames=asyncflow_governance_runs_seconds")
                      .families()
                      .isEmpty();
            });
    server = scrape("");
  }

  private JsonNode ok(String path, String body) {
    Wire.Answer answer = wire.post(path, body);
    assertThat(answer.status()).as(path + " " + answer.body()).isEqualTo(200);
    return answer.result();
  }

  private JsonNode hold(TaskType type, int limit) {
    JsonNode held =
        wire.get("/api/task/hold_task?taskType=%s&workerId=w&limit=%s".formatted(type, limit))
            .result()
            .path("taskList");
    assertThat(held).hasSize(limit);
    return held;
  }

  private void reportAllOutcomes() {
    List<String> outcomes =
        List.of(
            "'SUCCESS'",
            "'FAIL','errMsg':'why'",
            "'RETRY','errMsg':'why'",
            "'NEXT_STAGE','taskStage':'second'",
            "'RELEASE'");
    given.aWaitingTask().ofType(lark).inStage("first").create(outcomes.size() + 1);
    JsonNode held = hold(lark, outcomes.size() + 1); // the last one stays held
    for (int i = 0; i < outcomes.size(); i++) {
      String report =
          "{'taskId':'%s','workerId':'w','leaseEpoch':1,'outcome':%s}"
              .formatted(held.get(i).path("taskId").asString(), outcomes.get(i));
      wire.post("/api/task/set_task", report);
      wire.post("/api/task/set_task", report);
    }
    wire.post(
        "/api/task/set_task",
        "{'taskId':'1_forged_task_1','workerId':'w','leaseEpoch':1,'outcome':'SUCCESS'}");
  }

  private void loseTwice() {
    TaskType tts = given.aType().with("max_delivery", 1).create();
    TaskId id = given.aWaitingTask().ofType(tts).inStage("killing").create();
    for (int i = 0; i < 2; i++) {
      given.aHold(tts).theTask();
      given.letPass(31, SECONDS, id);
      sweep.runOnce();
    }
    assertThat(given.row(id).status().code()).hasToString(FAILED);
  }

  private void endByHand() {
    TaskType type = given.aType().create();
    TaskId forced = given.aWaitingTask().ofType(type).inStage("s").create();
    ok("/api/task/setStatus", "{'taskId':'%s','status':8,'reason':'why'}".formatted(forced));
    TaskId cancelled = given.aWaitingTask().ofType(type).inStage("s").create();
    ok("/api/task/cancel", "{'taskId':'%s','reason':'why'}".formatted(cancelled));
    TaskId stopped = given.aWaitingTask().ofType(type).inStage("s").create();
    given.aHold(type).theTask();
    ok("/api/task/pause", "{'taskId':'%s','stop':1}".formatted(stopped));
  }

  private void fire() {
    TaskType type = given.aType().create();
    ok(
        "/api/schedule/save",
        "{'scheduleData':{'name':'hourly','everyMs':3600000,'taskData':{'userId':'u','taskType':'%s','taskStage':'s'}}}"
            .formatted(type));
    ok("/api/schedule/trigger", "{'name':'hourly'}");
    hold(type, 1);
    fired = given.aType().create();
    ok(
        "/api/schedule/save",
        "{'scheduleData':{'name':'once-%1$s','everyMs':1000,'maxFires':1,'taskData':{'userId':'u','taskType':'%1$s','taskStage':'s'}}}"
            .formatted(fired));
  }

  private Exposition scrape(String query) throws IOException {
    try {
      var answer =
          HttpClient.newHttpClient()
              .send(
                  wire.request("/actuator/prometheus" + query)
                      .header("Accept", "text/plain;version=0.0.4")
                      .build(),
                  BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      return Exposition.parse(answer.body());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  // what is counted

  @Test
  void lifeOfATaskIsCountedByItsTypeAndStage() {
    String[] first = {"type", lark.name(), "stage", "first"};
    assertThat(server.sum("asyncflow_tasks_submitted_total", first)).isEqualTo(6);
    assertThat(server.sum("asyncflow_tasks_held_total", first)).isEqualTo(6);
    assertThat(server.sum("asyncflow_tasks_moved_total", first)).isEqualTo(1);
    assertThat(server.sum("asyncflow_tasks_retried_total", first)).isEqualTo(1);
    assertThat(server.sum("asyncflow_tasks_returned_total", first)).isEqualTo(1);
    for (String status : List.of("success", "failed")) {
      assertThat(ended(status, first)).as(status).isEqualTo(1);
    }
    assertThat(server.sum("asyncflow_tasks_wait_seconds_count", first)).isEqualTo(6);
    assertThat(server.sum("asyncflow_tasks_run_seconds_count", first)).isEqualTo(4);
    assertThat(server.sum("asyncflow_tasks_life_seconds_count", first)).isEqualTo(2);
    assertThat(server.sum("asyncflow_reports_refused_total", "type", lark.name()))
        .as("each report was repeated")
        .isEqualTo(5);
    assertThat(server.sum("asyncflow_hold_wait_seconds_count", "type", lark.name())).isEqualTo(1);
  }

  private double ended(String status, String... labels) {
    List<String> all = new ArrayList<>(List.of(labels));
    all.addAll(List.of("status", status));
    return server.sum("asyncflow_tasks_ended_total", all.toArray(String[]::new));
  }

  @Test
  void lostWorkersAndPoisonAreCounted() {
    for (String verdict : List.of("lost", "poison")) {
      assertThat(
              server.sum("asyncflow_leases_expired_total", "stage", "killing", "verdict", verdict))
          .as(verdict)
          .isEqualTo(1);
    }
    assertThat(ended("failed", "stage", "killing")).isEqualTo(1);
  }

  @Test
  void whatEndsWithoutARunIsCountedToo() {
    assertThat(ended("failed", "stage", "s")).isEqualTo(1);
    assertThat(ended("cancelled", "stage", "s")).isEqualTo(1);
    assertThat(server.sum("asyncflow_runs_revoked_total")).isEqualTo(1);
  }

  @Test
  void leaderShowsWhatIsDueAndExecuting() {
    String[] later = {"type", lark.name(), "stage", "later"};
    assertThat(server.sum("asyncflow_tasks_due", later)).isEqualTo(2);
    assertThat(server.sum("asyncflow_tasks_oldest_due_seconds", later)).isPositive();
    assertThat(server.sum("asyncflow_tasks_executing", "type", lark.name(), "stage", "first"))
        .isEqualTo(1);
    assertThat(server.sum("asyncflow_jobs", "state", "splitting")).isEqualTo(1);
    assertThat(server.sum("asyncflow_jobs_submitted_total", "type", "filmed")).isEqualTo(1);
    assertThat(samples().filter(sample -> sample.name().equals("asyncflow_jobs_ended_total")))
        .as("from 0 on, so that the first is a rise")
        .extracting(sample -> sample.labels().get("state"))
        .containsExactlyInAnyOrder("success", "failed", "cancelled");
    assertThat(
            samples().filter(sample -> sample.name().equals("asyncflow_jobs_life_seconds_count")))
        .as("from 0 on, too")
        .singleElement()
        .satisfies(sample -> assertThat(sample.value()).isZero());
  }

  @Test
  void firesAreCountedByTheTypeOfWhatTheyCreate() {
    assertThat(server.sum(FIRES, "outcome", "created", "type", fired.name())).isEqualTo(1);
    assertThat(
            samples()
                .filter(sample -> fired.name().equals(sample.labels().get("type")))
                .filter(sample -> sample.name().equals("asyncflow_schedule_passed_total")))
        .as("from 0 on, so that the first is a rise")
        .extracting(sample -> sample.labels().get("reason"))
        .containsExactlyInAnyOrder("missed", "merged", "paused");
  }

  @Test
  void reportsOnTypesThatDoNotExistMakeNoSeries() {
    assertThat(server.samples().map(sample -> sample.labels().get("type")))
        .doesNotContain("forged");
  }

  @Test
  void scrapeOfSomeNamesHasNoOthers() throws Exception {
    assertThat(scrape("?includedNames=asyncflow_tasks_held_total").families())
        .extracting(Family::name)
        .containsExactly("asyncflow_tasks_held_total");
  }

  // how it is shown

  private Stream<Family> families() {
    return server.families().stream();
  }

  private Stream<Sample> samples() {
    return server.samples();
  }

  @Test
  void everyMetricFollowsTheConventions() {
    assertThat(
            families()
                .filter(family -> family.name().startsWith(OURS))
                .flatMap(family -> Lint.problems(family).stream()))
        .isEmpty();
    assertThat(
            families()
                .flatMap(
                    family -> Lint.shape(family).stream().map(what -> family.name() + " " + what)))
        .isEmpty();
  }

  @Test
  void namesOfStagesAreLabelsAndIdsAreNot() {
    assertThat(samples().filter(sample -> sample.name().startsWith(OURS)))
        .flatExtracting(sample -> sample.labels().values())
        .noneMatch(value -> value.toString().contains("_task_"));
  }

  @Test
  void documentsListEveryMetric() throws Exception {
    Map<String, String> documented = new TreeMap<>();
    Pattern row = Pattern.compile("(?m)^\\| `(asyncflow_\\w+)` \\|.*$");
    Matcher rows = row.matcher(Files.readString(ROOT.resolve("docs/operating.md")));
    while (rows.find()) {
      assertThat(documented.put(rows.group(1), rows.group())).as(rows.group()).isNull();
    }
    Map<String, String> actual = new TreeMap<>();
    families()
        .filter(family -> family.name().startsWith(OURS) && !family.name().endsWith("_max"))
        .forEach(family -> actual.put(family.name(), rowOf(family)));
    Files.writeString(Path.of("target/metrics.md"), String.join("\n", actual.values()) + "\n");

    documented.keySet().removeAll(UNSEEN.keySet());
    documented.keySet().removeIf(name -> name.startsWith(OF_WORKERS));
    actual.keySet().removeAll(UNSEEN.keySet());
    assertThat(String.join("\n", documented.values()))
        .as("the right rows are in flowsvr/target/metrics.md")
        .isEqualTo(String.join("\n", actual.values()));
  }

  private static String rowOf(Family family) {
    Set<String> labels =
        family.samples().stream()
            .flatMap(sample -> sample.labels().keySet().stream())
            .filter(label -> !label.equals("le"))
            .collect(java.util.stream.Collectors.toCollection(TreeSet::new));
    return "| `%s` | %s | %s | %s |"
        .formatted(
            family.name(),
            family.type(),
            labels.stream().map(label -> "`" + label + "`").collect(joining(", ")),
            family.help());
  }

  // dashboard and alerts

  /** What is wrong with a selector: an unknown metric, or labels that it never has. */
  private List<String> problems(Selector selector) {
    if (selector.metric().startsWith(OF_WORKERS)) {
      return List.of(); // those are another test's
    }
    Set<String> labels =
        samples()
            .filter(sample -> sample.name().equals(selector.metric()))
            .flatMap(sample -> sample.labels().keySet().stream())
            .collect(toSet());
    labels.addAll(UNSEEN.getOrDefault(selector.metric(), Set.of()));
    boolean isKnown =
        UNSEEN.containsKey(selector.metric())
            || samples().anyMatch(sample -> sample.name().equals(selector.metric()));
    if (!isKnown) {
      return List.of(selector.metric() + " does not exist");
    }
    labels.addAll(OF_THE_TARGET);
    // One of the whole process is joined by its target, and has no more labels.
    Set<String> grouped = selector.metric().startsWith("process_") ? Set.of() : selector.grouped();
    return Stream.concat(selector.matches().stream().map(Selector.Match::label), grouped.stream())
        .filter(label -> !labels.contains(label))
        .map(label -> selector.metric() + " has no label " + label)
        .toList();
  }

  @Test
  void everyPanelHasData() throws Exception {
    JsonNode dashboard =
        JsonMapper.builder()
            .build()
            .readTree(
                Files.readString(ROOT.resolve("deploy/helm/asyncflow/monitoring/asyncflow.json")));
    int shown = 0;
    for (JsonNode panel : dashboard.path("panels")) {
      if (panel.path("type").asString().equals("row")) {
        continue;
      }
      shown++;
      String title = panel.path("title").asString();
      assertThat(panel.path("description").asString()).as(title).isNotBlank();
      List<Selector> selectors =
          panel
              .path("targets")
              .valueStream()
              .flatMap(target -> Selector.of(target.path("expr").asString()).stream())
              .toList();
      assertThat(selectors.stream().flatMap(selector -> problems(selector).stream()))
          .as(title)
          .isEmpty();
      if (selectors.stream()
          .map(Selector::metric)
          .allMatch(name -> name.startsWith(OF_WORKERS) || name.equals(OF_APPLICATIONS))) {
        continue;
      }
      assertThat(samples().filter(one -> selectors.stream().anyMatch(any -> any.accepts(one))))
          .as("data of " + title)
          .isNotEmpty();
    }
    assertThat(shown).isGreaterThan(30);
    for (JsonNode variable : dashboard.at("/templating/list")) {
      Matcher values =
          Pattern.compile("label_values\\((\\w+), \\w+\\)")
              .matcher(variable.path("definition").asString());
      if (values.matches() && !values.group(1).startsWith(OF_WORKERS)) {
        assertThat(samples()).extracting(Sample::name).contains(values.group(1));
      }
    }
  }

  @Test
  @SuppressWarnings("unchecked")
  void everyAlertAsksForWhatThereIs() throws Exception {
    Map<String, Object> file =
        new Yaml()
            .load(Files.readString(ROOT.resolve("deploy/helm/asyncflow/monitoring/alerts.yml")));
    Set<String> names = new TreeSet<>();
    for (Map<String, Object> group : (List<Map<String, Object>>) file.get("groups")) {
      for (Map<String, Object> rule : (List<Map<String, Object>>) group.get("rules")) {
        String name = (String) rule.get("alert");
        assertThat(names.add(name)).as(name).isTrue();
        assertThat(name).matches("Asyncflow[A-Za-z]+");
        List<Selector> selectors = Selector.of(((String) rule.get("expr")).strip());
        assertThat(selectors.stream().flatMap(selector -> problems(selector).stream()))
            .as(name)
            .isEmpty();
        assertThat((String) rule.getOrDefault("for", "0m")).matches("\\d+m");
        assertThat(((Map<String, String>) rule.get("labels")).get("severity"))
            .isIn("page", "ticket");
        Map<String, String> annotations = (Map<String, String>) rule.get("annotations");
        assertThat(annotations).containsOnlyKeys("summary", "description");
        assertThat(labelsIn(annotations.values().toString()))
            .as(name)
            .isSubsetOf(labelsOf(selectors.get(0)));
      }
    }
    String documents = Files.readString(ROOT.resolve("docs/operating.md"));
    assertThat(names).allSatisfy(name -> assertThat(documents).contains("| `" + name + "` |"));
  }

  private static Set<String> labelsIn(String template) {
    return Pattern.compile("\\$labels\\.(\\w+)")
        .matcher(template)
        .results()
        .map(label -> label.group(1))
        .collect(toSet());
  }

  /** The labels of an alert: those that its expression groups by, or all. */
  private Set<String> labelsOf(Selector selector) {
    return selector.grouped().isEmpty() ? OF_THE_TARGET : selector.grouped();
  }
}
