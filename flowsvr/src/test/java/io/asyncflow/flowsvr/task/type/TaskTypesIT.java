package io.asyncflow.flowsvr.task.type;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.TypeSetting;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

@RunningServer
class TaskTypesIT {

  @Autowired TaskTypes types;
  @Autowired JdbcClient jdbc;

  @Test
  void typeInsertedWithTheOldColumnsIsUsableAtOnce() {
    TaskType type = new TaskType("larktypes");
    assertThat(types.find(type)).isEmpty();

    jdbc.sql(
            "insert into t_schedule_cfg(task_type, schedule_limit, schedule_interval,"
                + " max_processing_time, max_retry_num, retry_interval)"
                + " values ('LarkTypes', 100, 10, 30, 3, 10);")
        .update();

    TaskTypeConfig config = types.require(type);
    assertThat(config.type()).isEqualTo(type);
    assertThat(config.spelling()).isEqualTo("LarkTypes");
    assertThat(config.scheduleLimit()).isEqualTo(100);
    assertThat(config.maxProcessingTime()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.maxRetryNum()).isEqualTo(3);
    assertThat(config.retryInterval()).isEqualTo(10);
    assertThat(config.maxRetryInterval()).isNull();
    assertThat(config.maxUnexpectedRetries()).isNull();
    assertThat(config.lease()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.maxDelivery()).isEqualTo(10);
    assertThat(config.rollThreshold()).isEqualTo(5_000_000);
    assertThat(config.retentionDays()).isZero();
    assertThat(config.maxExecuting()).isZero();
    assertThat(config.rateLimit()).isZero();
    assertThat(config.userRateLimit()).isZero();
    assertThat(config.minWorkerVersion()).isZero();
    assertThat(config.paused()).isFalse();
  }

  @Test
  void newTypeHasTheSameDefaultsHereAndInTheDatabase() {
    types.save(
        new TaskTypeForm(TaskTypeSettings.named("Plain"), Set.of(), null, false, Reason.NONE));

    TaskTypeSettings inDatabase = types.require(new TaskType("plain")).toSettings();
    TaskTypeSettings here = TaskTypeConfig.of(TaskTypeSettings.named("Plain")).toSettings();

    assertThat(inDatabase)
        .usingRecursiveComparison()
        .ignoringFields("createTime", "modifyTime")
        .isEqualTo(here);
    long now = System.currentTimeMillis();
    assertThat(inDatabase.createTime()).isBetween(now - 60_000, now + 60_000);
  }

  @Test
  void saveChangesWhatIsGivenAndKeepsTheSpelling() {
    types.save(new TaskTypeForm(settings("Keeper", 7, 60), Set.of(), null, false, Reason.NONE));
    types.save(new TaskTypeForm(settings("KEEPER", null, 90), Set.of(), null, false, Reason.NONE));

    TaskTypeConfig config = types.require(new TaskType("keeper"));
    assertThat(config.spelling()).isEqualTo("Keeper");
    assertThat(config.scheduleLimit()).isEqualTo(7);
    assertThat(config.maxRetryInterval()).isEqualTo(90);

    types.save(
        new TaskTypeForm(
            TaskTypeSettings.named("keeper"),
            Set.of(TypeSetting.MAX_RETRY_INTERVAL),
            null,
            false,
            Reason.NONE));
    assertThat(types.require(new TaskType("keeper")).maxRetryInterval()).isNull();
  }

  @Test
  void rowThatNoTypeCanBeCalledIsIgnored() {
    jdbc.sql("INSERT INTO t_schedule_cfg (task_type) VALUES ('bad name'), ('x_task_1')").update();

    assertThat(types.allOrThrow(Duration.ZERO))
        .noneMatch(config -> config.spelling().equals("bad name"));
    assertThatThrownBy(() -> types.require(new TaskType("nowhere")))
        .isInstanceOf(NoSuchTaskTypeException.class);
  }

  @Test
  void nonsenseInARowIsBroughtIntoRange() {
    jdbc.sql(
            "INSERT INTO t_schedule_cfg (task_type, schedule_limit, schedule_interval,"
                + " max_processing_time, lease_seconds, retry_interval, max_retry_interval,"
                + " max_delivery, roll_threshold, max_unexpected_retries) VALUES"
                + " ('nonsense', -5, 0, -1, 0, -2147483648, -1, 0, -9, -1)")
        .update();

    TaskTypeConfig config = types.require(new TaskType("nonsense"));
    assertThat(config.scheduleLimit()).isEqualTo(1);
    assertThat(config.maxProcessingTime()).isEqualTo(Duration.ofSeconds(1));
    assertThat(config.lease()).isEqualTo(Duration.ofSeconds(1));
    assertThat(config.retryInterval()).isEqualTo(-31_536_000);
    assertThat(config.maxRetryInterval()).isZero();
    assertThat(config.maxUnexpectedRetries()).isZero();
    assertThat(config.maxDelivery()).isEqualTo(1);
    assertThat(config.rollThreshold()).isEqualTo(1);
  }

  private static TaskTypeSettings settings(
      String name, Integer scheduleLimit, Integer maxRetryInterval) {
    return TaskTypeSettings.named(name)
        .withScheduleLimit(scheduleLimit)
        .withMaxRetryInterval(maxRetryInterval);
  }
}
