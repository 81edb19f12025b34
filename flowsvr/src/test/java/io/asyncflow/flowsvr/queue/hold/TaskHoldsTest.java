package io.asyncflow.flowsvr.queue.hold;

import static java.util.Collections.nCopies;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.api.Task;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.flowsvr.queue.claim.Hold;
import io.asyncflow.flowsvr.queue.claim.TaskClaimer;
import io.asyncflow.flowsvr.queue.claim.TaskClaimer.ClaimRequest;
import io.asyncflow.flowsvr.queue.claim.TaskClaimer.ClaimResult;
import io.asyncflow.flowsvr.task.pause.NothingPaused;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who stands in line with whom; what a claim finds is scripted. */
@Timeout(20)
class TaskHoldsTest {

  private static final TaskType LARK = new TaskType("lark");

  private final TaskClaimer claimer = mock();
  private final TaskHolds holds =
      new TaskHolds(
          typesWith(mock()),
          claimer,
          mock(),
          mock(),
          new OpenHolds(),
          NothingPaused.inForce(),
          new TaskMeters(new SimpleMeterRegistry()),
          new Node());

  @AfterEach
  void stopThreads() {
    holds.destroy();
  }

  @Test
  void whoNamesItsStagesDoesNotWaitForALookAtAllStages() throws Exception {
    CountDownLatch looking = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    when(claimer.claim(any(), anyList(), any()))
        .thenAnswer(
            call -> {
              List<ClaimRequest> line = call.getArgument(1);
              if (line.get(0).hold().stages().isEmpty()) {
                looking.countDown();
                goOn.await();
              }
              return new ClaimResult<>(
                  nCopies(line.size(), List.of()), 1_000, nCopies(line.size(), true));
            });
    CompletableFuture<List<Task>> ofAnyStage =
        CompletableFuture.supplyAsync(() -> holds.hold(aHold(Set.of())).join(), OtherThread::start);
    looking.await();

    CompletableFuture<List<Task>> named =
        CompletableFuture.supplyAsync(
            () -> holds.hold(aHold(Set.of("first"))).join(), OtherThread::start);
    assertThat(named.get(10, SECONDS)).isEmpty();
    assertThat(ofAnyStage).isNotDone();

    goOn.countDown();
    assertThat(ofAnyStage.get(10, SECONDS)).isEmpty();
  }

  private static Hold aHold(Set<String> stages) {
    return new Hold(LARK, 1, "w", Duration.ZERO, null, stages);
  }

  private static TaskTypes typesWith(TaskTypeConfig config) {
    TaskTypes types = mock();
    when(types.known(LARK)).thenReturn(Optional.of(config));
    return types;
  }
}
