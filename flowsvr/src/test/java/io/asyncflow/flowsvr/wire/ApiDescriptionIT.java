package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.RunningServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** The OpenAPI document names every call of the contract with its shapes. */
@RunningServer
class ApiDescriptionIT {

  @LocalServerPort int port;
  private JsonNode api;

  @BeforeEach
  void read() {
    api = new Wire(port).get("/v3/api-docs").body();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/task_schedule_cfg/save",
        "/api/task/createTask",
        "/api/task/create_task",
        "/api/task/createTasks",
        "/api/task/create_tasks",
        "/api/task/getTask",
        "/api/task/get_task",
        "/api/task/getTaskList",
        "/api/task/get_task_list",
        "/api/task/getUserTaskList",
        "/api/task/get_user_task_list",
        "/api/task/hold_task",
        "/api/task/holdTask",
        "/api/task/set_task",
        "/api/task/setTask",
        "/api/task/set_tasks",
        "/api/task/setTasks",
        "/api/worker/heartbeat",
        "/api/job/createJob",
        "/api/job/create_job",
        "/api/job/addChildren",
        "/api/job/getJob",
        "/api/job/getJobList",
        "/api/job/getJobTasks",
        "/api/job/getJobInput",
        "/api/job/cancel",
        "/api/job/retry",
        "/api/event/list",
        "/api/job/pause",
        "/api/job/resume",
        "/api/task/pause",
        "/api/task/resume",
        "/api/pause/set",
        "/api/pause/clear",
        "/api/pause/list"
      })
  void callIsDescribedWithItsShapes(String path) {
    JsonNode methods = api.path("paths").path(path);
    assertThat(methods.has("post")).isTrue();
    methods
        .properties()
        .forEach(
            method -> {
              JsonNode operation = method.getValue();
              boolean isGet = method.getKey().equals("get");
              assertThat(operation.path("summary").asString("")).isNotEmpty();
              assertThat(operation.has("parameters")).isEqualTo(isGet);
              assertThat(operation.has("requestBody")).isEqualTo(!isGet);
            });
  }

  @Test
  void storeIsDescribedAsTheFilesItTakes() {
    JsonNode store = api.path("paths").path("/api/store/{taskId}/{stage}/{epoch}/{name}");
    assertThat(store.propertyNames()).containsExactlyInAnyOrder("get", "put");
    assertThat(store.at("/put/parameters").values()).hasSize(5);
    assertThat(store.at("/put/requestBody/content").propertyNames())
        .containsExactly("application/octet-stream");
    assertThat(store.at("/get/parameters").values()).hasSize(4);
  }

  @Test
  void everyCallSaysHowErrorsLook() {
    api.path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .values()
                    .forEach(
                        operation ->
                            assertThat(refs(operation.at("/responses/default")))
                                .as(path.getKey())
                                .contains("#/components/schemas/ErrorBody")));
  }

  @Test
  void nothingIsReferredToThatIsNotThere() {
    assertThat(refs(api))
        .isNotEmpty()
        .allSatisfy(ref -> assertThat(api.at(ref.substring(1)).isObject()).as(ref).isTrue());
    assertThat(api.at("/components/schemas").propertyNames())
        .contains("NewTask", "Task", "Report", "TaskFields", "Heartbeat", "TaskTypeSettings")
        .doesNotContain("Fields");
    assertThat(api.at("/components/schemas/TaskTypeSettings/properties").propertyNames())
        .contains("task_type", "max_retry_interval");
    assertThat(api.at("/components/schemas/SaveTaskType/properties").propertyNames())
        .contains("task_type", "max_retry_interval", "expected_modify_time", "operator", "reason");
    assertThat(api.toString()).doesNotContain("x-shapes");
  }

  private static List<String> refs(JsonNode node) {
    List<String> refs = new ArrayList<>();
    for (JsonNode ref : node.findValues("$ref")) {
      refs.add(ref.asString());
    }
    return refs;
  }
}
