package io.asyncflow.worker.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import io.asyncflow.worker.WorkerState;
import io.asyncflow.worker.WorkerView;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class WorkerHealthTest {

  static class Stages {
    @Stage(type = "lark", stage = "one")
    StageResult one(String context) {
      return StageResult.done();
    }
  }

  private final ApplicationContextRunner context = with(WorkerHealthAutoConfiguration.class);

  private static ApplicationContextRunner with(Class<?> health) {
    return new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(WorkerAutoConfiguration.class, health))
        .withBean(WorkerAutoConfiguration.CLIENT_BEAN, FakeFlowServer.class);
  }

  private static WorkerHealth healthOf(WorkerState state, String problem) {
    return WorkerHealth.of(new WorkerView("w1", state, List.of(), 1, 1, List.of(), 0, 0, problem));
  }

  @Test
  void onlyAnIllnessOfItsOwnIsDown() {
    assertThat(healthOf(WorkerState.RUNNING, null).status()).isEqualTo("UP");
    assertThat(healthOf(WorkerState.STOPPED, null).status()).isEqualTo("OUT_OF_SERVICE");
    WorkerHealth stuck = healthOf(WorkerState.RUNNING, "2 handlers ignore the interrupt");
    assertThat(stuck.status()).isEqualTo("DOWN");
    assertThat(stuck.details()).containsEntry("problem", "2 handlers ignore the interrupt");
  }

  @Test
  void theHealthOfAnApplicationShowsItsWorker() {
    context
        .withBean(Stages.class)
        .run(
            started -> {
              Worker worker = started.getBean(WorkerLifecycle.class).worker().orElseThrow();
              Health health = started.getBean(HealthIndicator.class).health();
              assertThat(health.getStatus()).isEqualTo(Status.UP);
              assertThat(health.getDetails())
                  .containsEntry("workerId", worker.settings().workerId())
                  .containsKey("types");
              worker.close();
              assertThat(started.getBean(HealthIndicator.class).health().getStatus())
                  .isEqualTo(Status.OUT_OF_SERVICE);
            });
  }

  @Test
  void theActuatorOfSpringBoot3ShowsItToo() {
    ApplicationContextRunner older =
        with(WorkerHealthOnBoot3AutoConfiguration.class).withBean(Stages.class);
    older.run(
        started ->
            assertThat(
                    started
                        .getBean(org.springframework.boot.actuate.health.HealthIndicator.class)
                        .health()
                        .getStatus()
                        .getCode())
                .isEqualTo("UP"));
    older
        .withPropertyValues("management.health.defaults.enabled=false")
        .run(
            started ->
                assertThat(started)
                    .doesNotHaveBean(
                        org.springframework.boot.actuate.health.HealthIndicator.class));
  }

  @Test
  void anApplicationWithoutHandlersIsNotJudged() {
    context.run(
        started ->
            assertThat(started.getBean(HealthIndicator.class).health().getStatus())
                .isEqualTo(Status.UNKNOWN));
  }

  @Test
  void itIsThereOnlyWithTheActuatorAndCanBeTurnedOff() {
    context
        .withClassLoader(new FilteredClassLoader(HealthIndicator.class))
        .run(started -> assertThat(started).hasNotFailed().hasSingleBean(WorkerLifecycle.class));
    context
        .withPropertyValues("management.health.asyncflow.enabled=false")
        .run(started -> assertThat(started).doesNotHaveBean(HealthIndicator.class));
  }
}
