package io.asyncflow.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TaskFollowerTest {

  private static final String ID = "1_lark_task_1";
  private static final Duration LONG = Duration.ofHours(1);

  private final Queue<Supplier<Task>> answers = new ArrayDeque<>();
  private final TaskFollower follower = new TaskFollower(new Scripted());

  @Test
  void aTaskIsAskedForUntilItHasEnded() throws Exception {
    for (TaskStatus status :
        List.of(TaskStatus.WAITING, TaskStatus.EXECUTING, TaskStatus.SUCCESS, TaskStatus.FAILED)) {
      answers.add(() -> task(status));
    }
    assertThat(follower.follow(ID, LONG)).isEqualTo(task(TaskStatus.SUCCESS));
    assertThat(answers).hasSize(1);
  }

  @Test
  void failureAndCancellingAreEndsToo() throws Exception {
    answers.add(() -> task(TaskStatus.FAILED));
    answers.add(() -> task(TaskStatus.CANCELLED));
    assertThat(follower.follow(ID, LONG).taskStatus()).isEqualTo(TaskStatus.FAILED);
    assertThat(follower.follow(ID, LONG).taskStatus()).isEqualTo(TaskStatus.CANCELLED);
  }

  @Test
  void aTaskThatTakesTooLongIsLeftAsItIs() {
    answers.add(() -> task(TaskStatus.EXECUTING));
    assertThatThrownBy(() -> follower.follow(ID, Duration.ZERO))
        .isInstanceOf(TimeoutException.class)
        .hasMessage("task 1_lark_task_1 has not ended within PT0S: EXECUTING");
  }

  @Test
  void whoWaitsForNothingStillSeesAnEnd() throws Exception {
    answers.add(() -> task(TaskStatus.SUCCESS));
    assertThat(follower.follow(ID, Duration.ZERO).taskStatus()).isEqualTo(TaskStatus.SUCCESS);
  }

  @Test
  void aTimeoutMayBeLongerThanNanosecondsTell() throws Exception {
    answers.add(() -> task(TaskStatus.WAITING));
    answers.add(() -> task(TaskStatus.SUCCESS));
    assertThat(follower.follow(ID, ChronoUnit.FOREVER.getDuration()).taskStatus())
        .isEqualTo(TaskStatus.SUCCESS);

    answers.add(() -> task(TaskStatus.WAITING));
    assertThatThrownBy(() -> follower.follow(ID, ChronoUnit.FOREVER.getDuration().negated()))
        .isInstanceOf(TimeoutException.class);
  }

  @Test
  void anOutageOfTheServerIsOutlived() throws Exception {
    answers.add(TaskFollowerTest::noAnswer);
    answers.add(() -> task(TaskStatus.EXECUTING));
    answers.add(TaskFollowerTest::noAnswer);
    answers.add(() -> task(TaskStatus.SUCCESS));
    assertThat(follower.follow(ID, LONG).taskStatus()).isEqualTo(TaskStatus.SUCCESS);
  }

  @Test
  void aServerThatStaysAwayIsGivenUp() {
    answers.add(TaskFollowerTest::noAnswer);
    assertThatThrownBy(() -> follower.follow(ID, Duration.ZERO))
        .isInstanceOf(FlowUnreachableException.class);
  }

  @Test
  void whatTheServerRefusesIsThrown() {
    answers.add(
        () -> {
          throw new FlowException(ErrorCode.NO_SUCH_TASK, "there is no such task");
        });
    assertThatThrownBy(() -> follower.follow(ID, LONG)).hasMessage("there is no such task");
  }

  @Test
  void anInterruptEndsIt() {
    answers.add(() -> task(TaskStatus.WAITING));
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> follower.follow(ID, LONG)).isInstanceOf(InterruptedException.class);
  }

  @Test
  void anInterruptOfACallEndsIt() {
    answers.add(
        () -> {
          Thread.currentThread().interrupt();
          return noAnswer();
        });
    assertThatThrownBy(() -> follower.follow(ID, LONG)).isInstanceOf(InterruptedException.class);
  }

  private static Task noAnswer() {
    throw new FlowUnreachableException("no answer", null);
  }

  private static Task task(TaskStatus status) {
    return new Task(
        "me",
        ID,
        "lark",
        "one",
        status.code(),
        0,
        0,
        0,
        3,
        10,
        null,
        null,
        "",
        "",
        0,
        0,
        1,
        null,
        "w",
        0,
        "trace",
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  private final class Scripted extends ForwardingFlowClient {

    Scripted() {
      super(new HttpFlowClient(URI.create("http://127.0.0.1:1"), null));
    }

    @Override
    public Task getTask(String taskId) {
      assertThat(taskId).isEqualTo(ID);
      return answers.remove().get();
    }
  }
}
