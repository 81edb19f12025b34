package io.asyncflow.systemtest.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.fake.FakeFlowServer;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailoverFlowClientTest {

  private static final NewTask TASK = NewTask.of("lark", "one", "me", "");

  private final FakeFlowServer first = new FakeFlowServer().withType("lark");
  private final FakeFlowServer second = new FakeFlowServer().withType("lark");
  private final FlowClient client = FailoverFlowClient.of(List.of(first, second));

  @Test
  void staysWithAServerUntilItDoesNotAnswer() {
    final String ofFirst = client.createTask(TASK);
    first.setDown(true);
    assertThatExceptionOfType(FlowUnreachableException.class)
        .isThrownBy(() -> client.getTask(ofFirst));

    client.cancelTask(second.createTask(TASK));
    first.setDown(false);
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> client.getTask("7_lark_task_1"))
        .matches(e -> e.errorCode() == ErrorCode.NO_SUCH_TASK);
    client.createTask(TASK);

    assertThat(second.getUserTaskList("me", TaskPageRequest.of()).taskList())
        .as("a refusal is an answer")
        .hasSize(2);
  }

  @Test
  void jobsAndTheStoreChangeServersWithTheRest() {
    first.setDown(true);
    NewJob job = NewJob.of("lark", "me", "");
    assertThatExceptionOfType(FlowUnreachableException.class)
        .isThrownBy(() -> client.jobs().createJob(job));
    String id = client.jobs().createJob(job);
    assertThat(second.jobs().getJob(id)).isNotNull();

    StoreKey key = StoreKey.of("1_lark_task_1", "one", 1, "a");
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> client.store().open(key))
        .matches(e -> e.errorCode() == ErrorCode.NO_SUCH_OBJECT);
  }
}
