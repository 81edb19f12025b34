package io.asyncflow.flowsvr.queue.create;

import static java.util.Collections.nCopies;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.OnDuplicate;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RowsRead;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.edge.web.error.RateExceededException;
import io.asyncflow.flowsvr.edge.web.read.InvalidFieldException;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** What a user may create a minute. The limits are so low that no permit comes during a test. */
@RunningServer
@Tag("contract")
class UserLimitsIT {

  @Autowired Given given;
  @Autowired TaskCreator creator;
  @Autowired Duty userLimitRetentionDuty;
  @Autowired JdbcClient jdbc;
  @Autowired JdbcTemplate batch;
  @Autowired TransactionTemplate transaction;
  @LocalServerPort int port;

  private TaskType aTypeThatAllows(int tasksPerMinute) {
    return given.aType().with("user_rate_limit", tasksPerMinute).create();
  }

  private TaskDraft aTask(TaskType type, String user) {
    return given.aWaitingTask().ofType(type).ofUser(user).asDraft();
  }

  private TaskDraft aTask(TaskType type, String user, String key) {
    return given.aWaitingTask().ofType(type).ofUser(user).withKey(key).asDraft();
  }

  private TaskDraft aTask(TaskType type, String user, String key, OnDuplicate onDuplicate) {
    return given.aWaitingTask().ofType(type).ofUser(user).withKey(key, onDuplicate).asDraft();
  }

  private void create(List<TaskDraft> tasks) {
    creator.create(CreateCall.of(tasks).byUsers());
  }

  private long rowsOf(TaskType type) {
    return jdbc.sql("SELECT COUNT(*) FROM t_%s_task_1".formatted(type.name()))
        .query(Long.class)
        .single();
  }

  private long limitRowsOf(TaskType type) {
    return jdbc.sql("SELECT COUNT(*) FROM t_user_limit WHERE task_type = ?")
        .param(type.name())
        .query(Long.class)
        .single();
  }

  private static void assertTooFast(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RateExceededException.class,
            e -> {
              assertThat(e.errorCode()).isEqualTo(ErrorCode.LIMIT_EXCEEDED);
              assertThat(e.retryAfter()).isBetween(Duration.ofSeconds(1), Duration.ofMinutes(1));
            });
  }

  @Test
  void userMayCreateWhatAMinuteAllowsAndOthersAreNotConcerned() {
    TaskType lark = aTypeThatAllows(3);
    for (int i = 0; i < 3; i++) {
      creator.create(aTask(lark, "ann"));
    }
    assertTooFast(() -> creator.create(aTask(lark, "ann")));
    creator.create(aTask(lark, "bob"));
    creator.create(aTask(aTypeThatAllows(3), "ann"));
    assertThat(rowsOf(lark)).isEqualTo(4);
  }

  @Test
  void permitsComeBackEvenly() {
    TaskType lark = aTypeThatAllows(2);
    create(nCopies(2, aTask(lark, "ann")));
    assertTooFast(() -> creator.create(aTask(lark, "ann")));
    passed(lark, Duration.ofSeconds(31));
    creator.create(aTask(lark, "ann"));
    assertTooFast(() -> creator.create(aTask(lark, "ann")));
    passed(lark, Duration.ofSeconds(61));
    create(nCopies(2, aTask(lark, "ann")));
  }

  @Test
  void callIsCreatedAsAWholeOrNotAtAll() {
    TaskType lark = aTypeThatAllows(3);
    create(nCopies(2, aTask(lark, "ann")));
    List<TaskDraft> both =
        Stream.concat(
                nCopies(2, aTask(lark, "bob")).stream(), nCopies(2, aTask(lark, "ann")).stream())
            .toList();
    assertTooFast(() -> create(both));
    assertThat(rowsOf(lark)).isEqualTo(2);
    create(nCopies(3, aTask(lark, "bob"))); // nothing was charged to bob either
  }

  @Test
  void callThatIsNeverAllowedSaysSo() {
    TaskType lark = aTypeThatAllows(3);
    assertThatThrownBy(() -> create(nCopies(4, aTask(lark, "ann"))))
        .isInstanceOf(InvalidFieldException.class)
        .hasMessageContaining("has 4 tasks of user ann");
    assertThat(limitRowsOf(lark)).isZero();
  }

  @Test
  void repeatOfAKeyIsFree() {
    TaskType lark = aTypeThatAllows(2);
    TaskDraft task = aTask(lark, "ann", "k");
    for (int i = 0; i < 5; i++) {
      creator.create(task);
    }
    creator.create(aTask(lark, "ann"));
    assertTooFast(() -> creator.create(aTask(lark, "ann")));
    creator.create(task);
    assertThat(rowsOf(lark)).isEqualTo(2);
  }

  @Test
  void keptOrReplacedTaskIsFreeAndOneThatRunsAgainIsNot() {
    TaskType lark = aTypeThatAllows(2);
    creator.create(aTask(lark, "ann", "k"));
    for (int i = 0; i < 3; i++) {
      creator.create(aTask(lark, "ann", "k", OnDuplicate.REPLACE));
      creator.create(aTask(lark, "ann", "k", OnDuplicate.KEEP));
    }
    given.reportOn(given.aHold(lark).theTask()).success("");
    creator.create(aTask(lark, "ann", "k", OnDuplicate.RERUN));
    given.reportOn(given.aHold(lark).theTask()).success("");
    assertTooFast(() -> creator.create(aTask(lark, "ann", "k", OnDuplicate.RERUN)));
    assertThat(given.aHold(lark).now()).isEmpty();
  }

  @Test
  void manyWhoCreateAtOnceGetExactlyWhatIsAllowed() {
    TaskType lark = aTypeThatAllows(10);
    long created =
        AtOnce.from(24, i -> isCreated(aTask(lark, "ann"))).stream()
            .filter(Boolean::booleanValue)
            .count();
    assertThat(created).isEqualTo(10);
    assertThat(rowsOf(lark)).isEqualTo(10);
  }

  @Test
  void userAtTheLimitDoesNotFailTheCreatesOfOthersAtTheSameTime() {
    TaskType lark = aTypeThatAllows(1);
    creator.create(aTask(lark, "ann"));
    List<Boolean> created =
        AtOnce.from(24, i -> isCreated(aTask(lark, i % 2 == 0 ? "ann" : "user" + i)));
    assertThat(created.stream().filter(Boolean::booleanValue)).hasSize(12);
  }

  @Test
  void batchLeavesOutTheCreatesThatItsUsersHaveNoPermitsFor() {
    TaskType lark = aTypeThatAllows(2);
    create(nCopies(2, aTask(lark, "ann")));
    List<TaskDraft> batch =
        Stream.of("ann", "bob", "ann", "bob", "bob", "eve").map(user -> aTask(lark, user)).toList();
    List<CreatedTask> created = creator.new SingleCreates().together(lark, batch);
    assertThat(created.stream().map(Objects::nonNull))
        .containsExactly(false, true, false, true, false, true);
    assertThat(rowsOf(lark)).isEqualTo(5);
    assertThat(creator.new SingleCreates().together(lark, nCopies(2, batch.get(0))))
        .containsExactly(null, null);
  }

  private boolean isCreated(TaskDraft task) {
    try {
      creator.create(task);
      return true;
    } catch (RateExceededException e) {
      return false;
    }
  }

  @Test
  void whatTheServerCreatesItselfIsNotCharged() {
    TaskType lark = aTypeThatAllows(1);
    for (int i = 0; i < 3; i++) {
      creator.create(CreateCall.of(List.of(aTask(lark, "ann"))));
    }
    assertThat(limitRowsOf(lark)).isZero();
  }

  @Test
  void typeWithoutALimitLeavesNoRow() {
    TaskType lark = given.aType().create();
    create(nCopies(200, aTask(lark, "ann")));
    assertThat(limitRowsOf(lark)).isZero();
  }

  @Test
  void idleRowsAreDeletedAndCountAsNone() {
    TaskType lark = aTypeThatAllows(1);
    creator.create(aTask(lark, "ann"));
    userLimitRetentionDuty.runOnce().get();
    assertThat(limitRowsOf(lark)).isOne();
    passed(lark, Duration.ofHours(2));
    userLimitRetentionDuty.runOnce().get();
    assertThat(limitRowsOf(lark)).isZero();
    creator.create(aTask(lark, "ann"));
    assertTooFast(() -> creator.create(aTask(lark, "ann")));
  }

  @Test
  void rowsThatAreInUseCostTheDeletionNothing() {
    TaskType lark = aTypeThatAllows(1);
    transaction.executeWithoutResult(
        status -> {
          status.setRollbackOnly();
          long inAnHour = (System.currentTimeMillis() + 3_600_000) * 1_000;
          batch.batchUpdate(
              "INSERT INTO t_user_limit (task_type, user_id, spent_until) VALUES (?, ?, ?)",
              IntStream.range(0, 2_000)
                  .mapToObj(i -> new Object[] {lark.name(), "user-" + i, inAnHour + i})
                  .toList());
          assertThat(RowsRead.by(jdbc, () -> userLimitRetentionDuty.runOnce().get()))
              .isLessThanOrEqualTo(100);
          assertThat(limitRowsOf(lark)).isEqualTo(2_000);
        });
  }

  @Test
  void refusalSaysWhenToTryAgain() {
    TaskType lark = aTypeThatAllows(1);
    Wire wire = new Wire(port);
    String task =
        "{'taskData':{'userId':'ann','taskType':'%s','taskStage':'s'}}".formatted(lark.name());
    assertThat(wire.post("/api/task/createTask", task).code()).isZero();
    Wire.Answer refused = wire.post("/api/task/createTask", task);
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.code()).isEqualTo(8080);
    assertThat(refused.body().path("retryable").asBoolean()).isTrue();
    assertThat(Integer.parseInt(refused.header("Retry-After"))).isBetween(2, 60);
    String job = "{'jobData':{'userId':'ann','jobType':'%s'}}".formatted(lark.name());
    assertThat(wire.post("/api/job/createJob", job).code()).as("a job is a create").isEqualTo(8080);
    assertThat(rowsOf(lark)).isOne();
  }

  @Test
  void typeThatIsNotConfiguredIsStillSaidToBe() {
    TaskDraft task = aTask(new TaskType("nowhere"), "ann");
    assertThatThrownBy(() -> creator.create(task))
        .isInstanceOfSatisfying(
            FlowException.class,
            e -> assertThat(e.errorCode()).isEqualTo(ErrorCode.NO_SUCH_TASK_TYPE));
  }

  /** Moves what users of the type have spent so far into the past. */
  private void passed(TaskType type, Duration time) {
    jdbc.sql("UPDATE t_user_limit SET spent_until = spent_until - ? WHERE task_type = ?")
        .params(time.toMillis() * 1_000, type.name())
        .update();
  }

  /** The plan fires without the user, and a call for more of it does not. */
  @Test
  void runsOfAScheduleThatAUserAsksForCount() {
    TaskType lark = aTypeThatAllows(2);
    String task = "'userId':'ann','taskType':'%s','taskStage':'s'".formatted(lark.name());
    String children = "'merge':false,'children':[{'taskStage':'s'}]";
    for (String target :
        List.of(
            "'taskData':{" + task + "}",
            "'jobData':{'userId':'bob','jobType':'%s',%s}".formatted(lark.name(), children),
            "'jobData':{'userId':'cat','jobType':'%s','jobInput':'i'}".formatted(lark.name()))) {
      String name = lark.name() + target.hashCode();
      post("save", "{'scheduleData':{'name':'%s','everyMs':1000,%s}}".formatted(name, target));
      post("pause", "{'name':'" + name + "'}");
      assertThat(post("trigger", "{'name':'" + name + "'}").code()).isZero();

      long now = System.currentTimeMillis();
      String past =
          "{'name':'%s','from':%s,'to':%s,'limit':1000}"
              .formatted(name, now - 90_000, now - 30_000);
      Wire.Answer some = post("backfill", past);
      assertThat(some.result().path("made").asInt()).as(some.msg()).isEqualTo(1);
      long next = some.result().path("nextFrom").asLong();
      assertThat(next).isBetween(now - 90_000, now - 80_000);
      assertThat(post("backfill", past.replace("" + (now - 90_000), "" + next)).code())
          .isEqualTo(8080);
      Wire.Answer refused = post("trigger", "{'name':'" + name + "'}");
      assertThat(refused.code()).isEqualTo(8080);
      assertThat(refused.header("Retry-After")).isNotNull();
    }
  }

  private Wire.Answer post(String act, String body) {
    return new Wire(port).post("/api/schedule/" + act, body);
  }
}
