package io.asyncflow.flowsvr.metric;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.flowsvr.metric.Exposition.Family;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.autoconfigure.WorkerAutoConfiguration;
import io.asyncflow.worker.autoconfigure.WorkerMetricsAutoConfiguration;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.yaml.snakeyaml.Yaml;

/** What a worker with Spring Boot and Micrometer exports, and what is said of it. */
class WorkerMetricsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Path ROOT = Path.of("..");
  private static final String OURS = "asyncflow_worker_";

  /** The stages of the worker. */
  static class Film {
    @Stage(type = "filmed", stage = "cut")
    StageResult cut(StageContext context) {
      return StageResult.next("show");
    }

    @Stage(type = "filmed", stage = "show", slot = true)
    StageResult show(StageContext context) {
      return StageResult.done("shown");
    }

    @Stage(type = "filmed", stage = "burn")
    StageResult burn(StageContext context) {
      throw new NonRetryableException("it burns");
    }

    @Stage(type = "slow", stage = "hang")
    StageResult hang(StageContext context) throws InterruptedException {
      new CountDownLatch(1).await(); // until it is interrupted
      return StageResult.done("never");
    }
  }

  private static void await(FakeFlowServer server, String stage, TaskStatus status)
      throws InterruptedException {
    String id = server.createTask(NewTask.of("filmed", stage, "u", ""));
    assertThat(server.awaitStatus(id, status, PATIENCE)).isTrue();
  }

  private static ApplicationContextRunner application(FakeFlowServer server) {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                MetricsAutoConfiguration.class,
                CompositeMeterRegistryAutoConfiguration.class,
                PrometheusMetricsExportAutoConfiguration.class,
                WorkerAutoConfiguration.class,
                WorkerMetricsAutoConfiguration.class))
        .withBean("asyncflowWorkerClient", FakeFlowServer.class, () -> server);
  }

  @Test
  void applicationWithoutHandlersHasNoWorkerThatCouldBeUnhealthy() {
    application(new FakeFlowServer())
        .run(
            app -> {
              assertThat(app).hasNotFailed();
              String scraped = app.getBean(PrometheusMeterRegistry.class).scrape();
              assertThat(scraped).contains(OURS).doesNotContain("asyncflow_worker_healthy");
            });
  }

  @Test
  void workersExportWhatDashboardAlertsAndDocumentsSay() {
    FakeFlowServer server =
        new FakeFlowServer()
            .withType("filmed")
            .withType(
                "slow", Duration.ofSeconds(30), Duration.ofSeconds(1), Duration.ofSeconds(30));
    application(server)
        .withPropertyValues("asyncflow.worker.slots.cuda=2")
        .withBean(Film.class)
        .run(
            app -> {
              assertThat(app).hasNotFailed();
              await(server, "cut", TaskStatus.SUCCESS);
              await(server, "burn", TaskStatus.FAILED);
              server.createTask(NewTask.of("slow", "hang", "u", ""));
              assertThat(server.awaitAccepted(4, PATIENCE)).isTrue();
              Exposition seen =
                  Exposition.parse(app.getBean(PrometheusMeterRegistry.class).scrape());
              assertCounted(seen);
              assertThat(seen.families().stream().flatMap(one -> Lint.problems(one).stream()))
                  .isEmpty();
              assertDocumented(seen);
              assertAskedFor(seen);
            });
  }

  private static void assertCounted(Exposition seen) {
    for (String outcome : List.of("next_stage", "success", "fail", "timed_out")) {
      assertThat(seen.sum("asyncflow_worker_run_seconds_count", "outcome", outcome))
          .as(outcome)
          .isEqualTo(1);
    }
    assertThat(seen.sum("asyncflow_worker_threads_free", "type", "filmed")).isPositive();
    assertThat(seen.sum("asyncflow_worker_slots")).isEqualTo(2);
    assertThat(seen.sum("asyncflow_worker_healthy")).isEqualTo(1);
  }

  private static void assertDocumented(Exposition seen) throws IOException {
    String documented =
        Pattern.compile("(?m)^\\| `asyncflow_worker_\\w+` \\|.*$")
            .matcher(Files.readString(ROOT.resolve("docs/operating.md")))
            .results()
            .map(row -> row.group())
            .collect(joining("\n"));
    Map<String, String> rows = new TreeMap<>();
    for (Family family : seen.families()) {
      if (family.name().startsWith(OURS) && !family.name().endsWith("_max")) {
        Set<String> labels = new TreeSet<>();
        family.samples().forEach(sample -> labels.addAll(sample.labels().keySet()));
        labels.remove("le");
        rows.put(
            family.name(),
            "| `%s` | %s | %s | %s |"
                .formatted(
                    family.name(),
                    family.type(),
                    labels.stream().map(label -> "`" + label + "`").collect(joining(", ")),
                    family.help()));
      }
    }
    assertThat(documented).isEqualTo(String.join("\n", rows.values()));
  }

  /** Every expression of dashboard and alerts that asks for metrics of workers finds them. */
  private static void assertAskedFor(Exposition seen) throws IOException {
    List<String> expressions = new ArrayList<>();
    for (String file : List.of("asyncflow.json", "alerts.yml")) {
      Path path = ROOT.resolve("deploy/helm/asyncflow/monitoring").resolve(file);
      Object all = new Yaml().load(Files.readString(path)); // JSON is YAML
      addExpressions(all, expressions);
    }
    expressions.removeIf(one -> !one.contains(OURS));
    assertThat(expressions).hasSizeGreaterThan(10);
    for (String expression : expressions) {
      List<Selector> ofWorkers =
          Selector.of(expression.strip()).stream()
              .filter(selector -> selector.metric().startsWith(OURS))
              .toList();
      for (Selector selector : ofWorkers) {
        Set<String> labels =
            seen.samples()
                .filter(selector::accepts)
                .flatMap(sample -> sample.labels().keySet().stream())
                .collect(toSet());
        assertThat(seen.samples().filter(selector::accepts)).as(expression).isNotEmpty();
        labels.addAll(Set.of("job", "instance"));
        assertThat(labels).as(expression).containsAll(selector.grouped());
      }
    }
  }

  private static void addExpressions(Object part, List<String> expressions) {
    if (part instanceof Map<?, ?> map) {
      map.forEach(
          (key, value) -> {
            if (key.equals("expr")) {
              expressions.add((String) value);
            } else {
              addExpressions(value, expressions);
            }
          });
    } else if (part instanceof List<?> list) {
      list.forEach(one -> addExpressions(one, expressions));
    }
  }
}
