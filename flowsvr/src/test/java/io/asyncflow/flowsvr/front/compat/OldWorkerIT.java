package io.asyncflow.flowsvr.front.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.queue.lease.ExpiredLeaseSweep;
import io.asyncflow.flowsvr.wire.Wire;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

/**
 * The public Java worker has more in its queue than it can run within {@code max_processing_time}.
 * A second is a thirtieth of one: the row of the seeds with its 30 s has 1 s, the least there is.
 */
@RunningServer
@TestPropertySource(properties = {"flow.compat.legacy-paths=true", "flow.compat.legacy-lease=120s"})
@Tag("faults")
class OldWorkerIT {

  private static final int LAPSE = 30;
  private static final int TASKS = 300;

  @LocalServerPort int port;

  @Autowired JdbcClient jdbc;
  @Autowired ExpiredLeaseSweep sweep;

  @Test
  void eachTaskRunsOnceHoweverLongItLayInTheQueue() throws Exception {
    jdbc.sql(
            """
            INSERT INTO t_schedule_cfg (task_type, schedule_limit, schedule_interval,
              max_processing_time, max_retry_num, retry_interval)
            VALUES ('Lark', 100, 10, :longest, 3, 10)
            """)
        .param("longest", 30 / LAPSE)
        .update();
    Wire wire = new Wire(port);
    for (int i = 0; i < TASKS; i++) {
      String task =
          "{'taskData':{'user_id':'2','task_type':'Lark','task_stage':'slow','task_context':'{}'}}";
      assertThat(wire.post("/task/create_task", task).code()).isZero();
    }

    try (OldWorker worker =
        new OldWorker(wire, "Lark", Duration.ofMillis(10_000 / LAPSE), 1_000 / LAPSE)) {
      worker.start();
      Awaitility.await()
          .atMost(Duration.ofMinutes(3))
          .pollInterval(Duration.ofMillis(100))
          .until(
              () -> {
                sweep.runOnce();
                return unfinished() == 0;
              });

      assertThat(worker.refused()).isEmpty();
      assertThat(worker.runs()).hasSize(TASKS).allSatisfy((id, runs) -> assertThat(runs).isOne());
    }
    assertThat(ends()).containsExactly(Map.of("status", 4, "crt_retry_num", 0, "tasks", 300L));
  }

  private long unfinished() {
    return jdbc.sql("SELECT COUNT(*) FROM t_lark_task_1 WHERE status IN (1, 2)")
        .query(Long.class)
        .single();
  }

  private List<Map<String, Object>> ends() {
    return jdbc.sql(
            "SELECT status, crt_retry_num, COUNT(*) AS tasks FROM t_lark_task_1 GROUP BY 1, 2")
        .query()
        .listOfRows();
  }
}
