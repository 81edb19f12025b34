package io.asyncflow.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.table.TableClient;
import io.asyncflow.api.table.TableState;
import io.asyncflow.api.table.TaskTable;
import org.junit.jupiter.api.Test;

class HttpTableClientTest {

  @Test
  void tablesAreListedBegunAndDropped() throws Exception {
    try (StubServer server = new StubServer("/api/task_schedule_cfg/")) {
      TableClient tables = new ForwardingFlowClient(server.client()) {}.tables();
      server.answers(
          "{\"tables\":[{\"table\":\"t_lark_task_3\",\"number\":3,\"state\":\"DRAINED\",\"rows\":7,"
              + "\"bytes\":null,\"createTime\":1,\"ageSeconds\":2,\"drainTime\":3,\"paused\":false}]}");
      assertThat(tables.list("lark"))
          .containsExactly(
              new TaskTable("t_lark_task_3", 3, TableState.DRAINED, 7L, null, 1, 2, 3L, false));
      server.answers("{\"table\":\"t_lark_task_4\"}");
      assertThat(tables.roll("lark", "ops", null)).isEqualTo("t_lark_task_4");
      server.answers("null");
      tables.clean("lark", "t_lark_task_3", "ann", null);
      assertThat(server.seen)
          .containsExactly(
              "tables {\"taskType\":\"lark\"}",
              "roll {\"taskType\":\"lark\",\"operator\":\"ops\"}",
              "clean {\"taskType\":\"lark\",\"table\":\"t_lark_task_3\",\"operator\":\"ann\"}");
    }
  }
}
