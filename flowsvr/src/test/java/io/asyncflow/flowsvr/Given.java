package io.asyncflow.flowsvr;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.queue.claim.Hold;
import io.asyncflow.flowsvr.queue.claim.Preference;
import io.asyncflow.flowsvr.queue.create.CreateCall;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.flowsvr.queue.hold.TaskHolds;
import io.asyncflow.flowsvr.queue.report.ParsedReport;
import io.asyncflow.flowsvr.queue.report.TaskReporter;
import io.asyncflow.flowsvr.task.pause.PausesChanged;
import io.asyncflow.flowsvr.task.pause.PausesInForce;
import io.asyncflow.flowsvr.task.row.KeyOptions;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.type.NoSuchTaskTypeException;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * What database tests set up and do, in sentences: {@code given.aWaitingTask().ofType(lark)
 * .dueSince(5, MINUTES).create()}.
 *
 * <p>Nothing waits here: times are moved in the rows.
 */
public final class Given {

  private static final AtomicInteger TYPES = new AtomicInteger();

  private final JdbcClient jdbc;
  private final TaskTypes types;
  private final TaskFamilies families;
  private final TaskCreator creator;
  private final TaskStore tasks;
  private final TaskHolds holds;
  private final TaskReporter reporter;
  private final PausesInForce pauses;

  Given(
      JdbcClient jdbc,
      TaskTypes types,
      TaskFamilies families,
      TaskCreator creator,
      TaskStore tasks,
      TaskHolds holds,
      TaskReporter reporter,
      PausesInForce pauses) {
    this.jdbc = jdbc;
    this.types = types;
    this.families = families;
    this.creator = creator;
    this.tasks = tasks;
    this.holds = holds;
    this.reporter = reporter;
    this.pauses = pauses;
  }

  // types

  /** A type with a name of its own and the defaults of the table. */
  public ATaskType aType() {
    return new ATaskType();
  }

  /** Collects columns of {@code t_schedule_cfg} and inserts the row. */
  public final class ATaskType {

    private final Map<String, Object> columns = new LinkedHashMap<>();

    private ATaskType() {
      columns.put("task_type", "Lark" + TYPES.incrementAndGet());
    }

    public ATaskType with(String column, Object value) {
      columns.put(column, value);
      return this;
    }

    public TaskType create() {
      jdbc.sql(
              "INSERT INTO t_schedule_cfg (%s) VALUES (:values)"
                  .formatted(String.join(", ", columns.keySet())))
          .param("values", columns.values())
          .update();
      return TaskType.parse((String) columns.get("task_type")).orElseThrow();
    }
  }

  /** Changes the row of a type, and makes this server see it. */
  public void change(TaskType type, String column, Object value) {
    jdbc.sql("UPDATE t_schedule_cfg SET %s = :value WHERE task_type = :type".formatted(column))
        .param("value", value)
        .param("type", type.name())
        .update();
    // To require an unknown type reads all of them anew; to find one may do with a reading that is
    // a blink old, which a sweep may have made just before the UPDATE.
    assertThatThrownBy(() -> types.require(new TaskType("nosuchtype")))
        .isInstanceOf(NoSuchTaskTypeException.class);
    pauses.on(PausesChanged.HERE);
  }

  /** Makes the type's next table, to which new tasks go from now on. */
  public TaskTable nextTable(TaskType type) {
    TaskTable end = families.of(type).end();
    if (!families.advance(end)) {
      throw new AssertionError("somebody else moved " + type);
    }
    return families.of(type).end();
  }

  /**
   * Another server made the type's second table, unseen by this one, and as many of its tasks are
   * held as of the first.
   */
  public void nextTableOfAnotherServer(TaskType type) {
    TaskTable first = new TaskTable(type, 1);
    TaskTable second = new TaskTable(type, 2);
    jdbc.sql("CREATE TABLE %s LIKE %s".formatted(second.sqlName(), first.sqlName())).update();
    jdbc.sql(
            """
            INSERT INTO %s
            SELECT *
            FROM %s
            WHERE status = 2
            """
                .formatted(second.sqlName(), first.sqlName()))
        .update();
    jdbc.sql("UPDATE t_schedule_pos SET schedule_end_pos = 2 WHERE task_type = :type")
        .param("type", type.name())
        .update();
  }

  // tasks

  public AWaitingTask aWaitingTask() {
    return new AWaitingTask();
  }

  /** Collects what a new task is like, and creates one or many. */
  public final class AWaitingTask {

    private TaskType type;
    private String stage = "first";
    private String user = "somebody";
    private String context = "{}";
    private Integer priority;
    private Long delayMs;
    private Integer maxRetryNum;
    private Integer maxRetryInterval;
    private String key;
    private KeyOptions keyOptions = KeyOptions.PLAIN;
    private FireId fire;
    private Set<String> workers = Set.of();

    public AWaitingTask ofType(TaskType value) {
      this.type = value;
      return this;
    }

    public AWaitingTask inStage(String value) {
      this.stage = value;
      return this;
    }

    public AWaitingTask ofUser(String value) {
      this.user = value;
      return this;
    }

    public AWaitingTask withContext(String value) {
      this.context = value;
      return this;
    }

    public AWaitingTask withPriority(int seconds) {
      this.priority = seconds;
      return this;
    }

    public AWaitingTask dueSince(long amount, TimeUnit unit) {
      this.delayMs = -unit.toMillis(amount);
      return this;
    }

    public AWaitingTask dueIn(long amount, TimeUnit unit) {
      this.delayMs = unit.toMillis(amount);
      return this;
    }

    public AWaitingTask withRetries(int number) {
      this.maxRetryNum = number;
      return this;
    }

    public AWaitingTask withRetryCap(int seconds) {
      this.maxRetryInterval = seconds;
      return this;
    }

    public AWaitingTask withKey(String value) {
      this.key = value;
      return this;
    }

    public AWaitingTask withKey(String value, OnDuplicate onDuplicate) {
      this.keyOptions = new KeyOptions(onDuplicate, null, false);
      return withKey(value);
    }

    public AWaitingTask firedBy(FireId value) {
      this.fire = value;
      return this;
    }

    /** That these workers alone may hold. */
    public AWaitingTask forWorkers(String... values) {
      this.workers = Set.of(values);
      return this;
    }

    public TaskDraft asDraft() {
      return new TaskDraft(
          user,
          type,
          stage,
          null,
          context,
          priority,
          delayMs,
          null,
          maxRetryNum,
          maxRetryInterval,
          null,
          key,
          keyOptions,
          fire,
          workers,
          null);
    }

    public TaskId create() {
      return creator.create(CreateCall.of(List.of(asDraft()))).get(0);
    }

    public List<TaskId> create(int count) {
      List<TaskId> ids = new ArrayList<>();
      while (ids.size() < count) {
        ids.addAll(
            creator.create(
                CreateCall.of(
                    Collections.nCopies(Math.min(1_000, count - ids.size()), asDraft()))));
      }
      return ids;
    }
  }

  public TaskRow row(TaskId id) {
    return tasks.find(id).orElseThrow();
  }

  public TaskRow row(Task task) {
    return row(idOf(task));
  }

  /** Changes a row behind the server's back: {@code "status = 16"}. */
  public void set(TaskId id, String assignments) {
    jdbc.sql("UPDATE %s SET %s WHERE id = :id".formatted(id.table().sqlName(), assignments))
        .param("id", id.number())
        .update();
  }

  /**
   * Makes many rows like this one in its table, in statements that a slow disk finishes within the
   * time-out of a statement.
   *
   * @param from the number of the first; the others follow one by one
   * @param assignments what is different in all of them
   */
  public void copies(TaskId id, int from, int count, String assignments) {
    String table = id.table().sqlName();
    String copy = "copy_" + table;
    jdbc.sql("CREATE TABLE " + copy + " LIKE " + table).update();
    try {
      jdbc.sql("INSERT INTO " + copy + " SELECT * FROM " + table + " WHERE id = " + id.number())
          .update();
      jdbc.sql("UPDATE " + copy + " SET id = " + from).update();
      String others =
          String.join(
              ", ",
              jdbc.sql(
                      """
                      SELECT column_name FROM information_schema.columns
                      WHERE table_schema = DATABASE() AND table_name = :copy
                        AND column_name <> 'id'
                      """)
                  .param("copy", copy)
                  .query(String.class)
                  .list());
      for (int have = 1; have < count; have += Math.min(have, 2_000)) {
        int next = from + Math.min(have, Math.min(2_000, count - have));
        jdbc.sql(
                "INSERT INTO %3$s (id, %1$s) SELECT id + %2$s, %1$s FROM %3$s WHERE id < %4$s"
                    .formatted(others, have, copy, next))
            .update();
      }
      for (int done = 0; done < count; done += 2_000) {
        String some = "id >= %s AND id < %s".formatted(from + done, from + done + 2_000);
        jdbc.sql("UPDATE " + copy + " SET " + assignments + " WHERE " + some).update();
        jdbc.sql("INSERT INTO " + table + " SELECT * FROM " + copy + " WHERE " + some).update();
      }
    } finally {
      jdbc.sql("DROP TABLE " + copy).update();
    }
  }

  /** Moves everything that happened to the task so far into the past. */
  public void letPass(long amount, TimeUnit unit, TaskId id) {
    long ms = unit.toMillis(amount);
    set(
        id,
        "hold_time = hold_time - %1$s, lease_end = lease_end - %1$s, order_time = order_time - %1$s,"
                .formatted(ms)
            + " beat_time = IF(beat_time > 0, beat_time - %s, 0)".formatted(ms));
    // For an outage, too: one that a busy machine made would spare the lease.
    jdbc.sql("UPDATE t_write_outage SET start_time = start_time - :ms, end_time = end_time - :ms")
        .param("ms", ms)
        .update();
  }

  public void letPass(long amount, TimeUnit unit, Task task) {
    letPass(amount, unit, idOf(task));
  }

  /** As the reporter is given them. */
  public static List<ParsedReport> parsed(Report... reports) {
    return parsed(List.of(reports));
  }

  /** As the reporter is given them. */
  public static List<ParsedReport> parsed(List<Report> reports) {
    return reports.stream().map(ParsedReport::of).toList();
  }

  public static TaskId idOf(Task task) {
    return TaskId.parse(task.taskId()).orElseThrow();
  }

  // holds

  public AHold aHold(TaskType type) {
    return new AHold(type);
  }

  /** Collects what a hold asks for; by a worker called "worker" unless it says otherwise. */
  public final class AHold {

    private final TaskType type;
    private int limit;
    private String worker = "worker";
    private Duration wait = Duration.ZERO;
    private String holdId;
    private Set<String> stages = Set.of();
    private Set<String> preferred = Set.of();
    private Duration othersAfter = Duration.ZERO;
    private int version;
    private Duration queueTime;

    private AHold(TaskType type) {
      this.type = type;
    }

    public AHold limit(int value) {
      this.limit = value;
      return this;
    }

    public AHold by(String value) {
      this.worker = value;
      return this;
    }

    public AHold ofVersion(int value) {
      this.version = value;
      return this;
    }

    public AHold byAnOldClient() {
      return by("");
    }

    /** A client of an older protocol, which may let tasks lie in its queue. */
    public AHold byAWorkerWithAQueue(Duration longest) {
      this.queueTime = longest;
      return byAnOldClient();
    }

    public AHold withId(String value) {
      this.holdId = value;
      return this;
    }

    public AHold ofStages(String... values) {
      this.stages = Set.of(values);
      return this;
    }

    /** The others of its stages only when they have been due for so long. */
    public AHold preferring(String stage, long others, TimeUnit unit) {
      this.preferred = Set.of(stage);
      this.othersAfter = Duration.of(others, unit.toChronoUnit());
      return this;
    }

    public Hold asRequest() {
      Preference preference = new Preference(preferred, othersAfter);
      return new Hold(
          type, limit, worker, wait, holdId, stages, preference, "", version, queueTime);
    }

    /** Asks once. */
    public List<Task> now() {
      return holds.hold(asRequest()).join();
    }

    /** Asks for the one task that is due. */
    public Task theTask() {
      List<Task> held = now();
      if (held.size() != 1) {
        throw new AssertionError("expected one due task, not " + held);
      }
      return held.get(0);
    }

    /** Asks, and waits in the line where nothing is due. */
    public CompletableFuture<List<Task>> waiting(long amount, TimeUnit unit) {
      this.wait = Duration.of(amount, unit.toChronoUnit());
      return holds.hold(asRequest());
    }
  }

  // reports

  /** A report by the worker that holds the task, for the epoch that it was told. */
  public AReport reportOn(Task task) {
    return new AReport(task.taskId(), task.workerId(), task.leaseEpoch());
  }

  /** Collects what a report says; the last call sends it. */
  public final class AReport {

    private final String taskId;
    private String worker;
    private int epoch;
    private String reportId;

    private AReport(String taskId, String worker, int epoch) {
      this.taskId = taskId;
      this.worker = worker;
      this.epoch = epoch;
    }

    public AReport by(String value) {
      this.worker = value;
      return this;
    }

    public AReport ofEpoch(int value) {
      this.epoch = value;
      return this;
    }

    public AReport withId(String value) {
      this.reportId = value;
      return this;
    }

    public ReportResult success(String result) {
      return send(asSuccess(result));
    }

    public ReportResult nextStage(String stage, String context, Integer priority) {
      return send(asNextStage(stage, context, priority));
    }

    public ReportResult retry(String message) {
      return send(asRetry(message));
    }

    public ReportResult retryAfterMs(long delay) {
      return send(asRetry("no").withRetryAfterMs(delay));
    }

    public ReportResult fail(String message) {
      return send(asFail(message));
    }

    public ReportResult snooze(long delayMs) {
      return send(as(Outcome.SNOOZE).withDelayMs(delayMs));
    }

    public ReportResult release() {
      return send(asRelease());
    }

    public Report asSuccess(String result) {
      return as(Outcome.SUCCESS).withResult(result);
    }

    public Report asRetry(String message) {
      return as(Outcome.RETRY).withErrMsg(message);
    }

    public Report asNextStage(String stage, String context, Integer priority) {
      return as(Outcome.NEXT_STAGE).withNext(stage, context, priority);
    }

    public Report asFail(String message) {
      return as(Outcome.FAIL).withErrMsg(message);
    }

    public Report asRelease() {
      return as(Outcome.RELEASE);
    }

    private Report as(Outcome outcome) {
      return Report.of(taskId, worker, epoch, outcome).withReportId(reportId);
    }

    private ReportResult send(Report report) {
      return reporter.report(parsed(report)).get(0);
    }
  }
}
