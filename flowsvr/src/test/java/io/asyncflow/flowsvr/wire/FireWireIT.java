package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.NewJob;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.compose.job.core.JobCreator;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.TaskType;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** Which fire of a schedule created a task or a job, in every answer that shows one. */
@RunningServer
@Tag("contract")
class FireWireIT {

  private static final FireId FIRE = new FireId(249_835_547_751_612_418L, 1_795_255_036_000L);

  @Autowired Given given;
  @Autowired JobCreator creator;
  @LocalServerPort int port;
  private Wire wire;
  private TaskType type;

  @BeforeEach
  void aType() {
    wire = new Wire(port);
    type = given.aType().create();
  }

  private static void assertFired(JsonNode shown) {
    assertThat(shown.path("scheduleId").isString()).as(shown.toString()).isTrue();
    assertThat(shown.path("scheduleId").asString()).isEqualTo("249835547751612418");
    assertThat(shown.path("fireTime").asLong()).isEqualTo(1_795_255_036_000L);
  }

  private static void assertNotFired(JsonNode shown) {
    assertThat(shown.isObject()).isTrue();
    assertThat(shown.propertyNames()).doesNotContain("scheduleId", "fireTime");
  }

  @Test
  void taskHasItInAllAnswers() {
    String user = "user-of-" + type.name();
    String id = given.aWaitingTask().ofType(type).ofUser(user).firedBy(FIRE).create().toString();
    assertFired(wire.get("/api/task/getTask?taskId=" + id).result().path("taskData"));
    for (String list :
        List.of(
            "getTaskList?status=1&taskType=" + type.name(),
            "getUserTaskList?userId=" + user,
            "hold_task?workerId=w&taskType=" + type.name())) {
      assertFired(wire.get("/api/task/" + list).result().path("taskList").path(0));
    }
  }

  @Test
  void jobHasItInAllAnswers() {
    String user = "user-of-" + type.name();
    long id =
        creator.create(
            NewJob.of(type.name(), user, "")
                .withPriority(0)
                .withFailurePolicy(FailurePolicy.FINISH)
                .withChildType(type.name()),
            FIRE,
            false,
            job -> {});
    assertFired(wire.get("/api/job/getJob?jobId=" + id).result().path("jobData"));
    assertFired(wire.get("/api/job/getJobList?userId=" + user).result().path("jobList").path(0));
    JsonNode split =
        wire.get("/api/task/hold_task?workerId=w&taskType=" + type.name())
            .result()
            .path("taskList")
            .path(0);
    assertThat(split.path("jobId").asString()).isEqualTo("" + id);
    assertNotFired(split);
  }

  @Test
  void itIsLeftOutWhereThereIsNone() {
    String user = "user-of-" + type.name();
    String id = given.aWaitingTask().ofType(type).create().toString();
    assertNotFired(wire.get("/api/task/getTask?taskId=" + id).result().path("taskData"));
    assertNotFired(
        wire.get("/api/task/hold_task?workerId=w&taskType=" + type.name())
            .result()
            .path("taskList")
            .path(0));
    String job =
        wire.post(
                "/api/job/createJob",
                "{'jobData':{'userId':'%s','jobType':'%s'}}".formatted(user, type.name()))
            .result()
            .path("jobId")
            .asString();
    assertNotFired(wire.get("/api/job/getJob?jobId=" + job).result().path("jobData"));
  }

  @Test
  void creatorsCannotSetIt() {
    String id =
        wire.post(
                "/api/task/createTask",
                ("{'taskData':{'userId':'u','taskType':'%s','taskStage':'s','scheduleId':'7',"
                        + "'fireTime':1795255036000}}")
                    .formatted(type.name()))
            .result()
            .path("taskId")
            .asString();
    assertNotFired(wire.get("/api/task/getTask?taskId=" + id).result().path("taskData"));
  }
}
