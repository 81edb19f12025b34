package io.asyncflow.systemtest.evidence;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.Outcome;
import io.asyncflow.systemtest.evidence.TaskStory.Beat;
import io.asyncflow.systemtest.evidence.TaskStory.Create;
import io.asyncflow.systemtest.evidence.TaskStory.Delivery;
import io.asyncflow.systemtest.evidence.TaskStory.Hold;
import io.asyncflow.systemtest.evidence.TaskStory.Read;
import io.asyncflow.systemtest.evidence.TaskStory.Run;
import io.asyncflow.systemtest.history.Act;
import io.asyncflow.systemtest.history.Audit;
import io.asyncflow.systemtest.history.Audit.Position;
import io.asyncflow.systemtest.history.Event;
import io.asyncflow.systemtest.history.History;
import io.asyncflow.systemtest.history.Phase;
import io.asyncflow.systemtest.history.RecordingFlowClient;
import io.asyncflow.systemtest.worker.Script;
import io.asyncflow.worker.JobMerger;
import io.asyncflow.worker.JobSplitter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/** A history sorted by what it is about, with the rows that came of it. */
public final class Evidence {

  private record Call(String process, long number) {}

  private record Item(String process, long number, String task, Integer epoch, String key) {}

  /**
   * A time in which something was broken.
   *
   * @param sufferers the processes that it may have troubled, by what their names begin with; empty
   *     for nobody, {@code null} for everybody
   */
  public record FaultWindow(long from, long to, Set<String> sufferers) {

    public boolean concerns(String process) {
      return sufferers == null || sufferers.stream().anyMatch(process::startsWith);
    }
  }

  /** An answer, or the lack of one, that only a fault excuses. */
  public record Failure(long from, long to, String process, String subject, String what) {}

  private final Map<String, TaskStory> stories = new LinkedHashMap<>();
  private final Set<String> invokedKeys = new HashSet<>();
  private final Map<String, Set<String>> tasksOfKey = new HashMap<>();
  private final Map<String, JobStory> jobsByKey = new LinkedHashMap<>();
  private final Set<String> cancelledJobs = new HashSet<>();
  private final Set<String> perhapsCancelledJobs = new HashSet<>();
  private final List<FaultWindow> faults = new ArrayList<>();
  private final List<Failure> failures = new ArrayList<>();
  private final List<Position> positions = new ArrayList<>();
  private final Audit audit;
  private OptionalLong healedAt = OptionalLong.empty();

  private final Map<Call, Long> invokedAt = new HashMap<>();
  private final Map<Item, Event> unanswered = new LinkedHashMap<>();
  private final Map<Call, Event> openFaults = new LinkedHashMap<>();

  public Evidence(History history, Audit audit) {
    this.audit = audit;
    history.tell(this::sort);
    unanswered.values().forEach(this::neverAnswered);
    openFaults.values().forEach(fault -> broken(fault, TaskStory.NEVER));
    for (Audit.Row row : audit.rows()) {
      storyOf(row.task()).row = row;
      if (row.job() == null) {
        tasksOfKey.computeIfAbsent(row.key(), k -> new HashSet<>()).add(row.task());
      } else if (jobsByKey.containsKey(row.key())) {
        createdByItsJob(row, jobsByKey.get(row.key()));
      }
    }
    attributeUnansweredCreates();
  }

  /** Of every task that somebody named or that has a row. */
  public Collection<TaskStory> all() {
    return Collections.unmodifiableCollection(stories.values());
  }

  /** Of one of these tasks. */
  public TaskStory story(String task) {
    return stories.get(task);
  }

  /** Of tasks and of jobs, whatever came of the calls. */
  public Set<String> invokedKeys() {
    return Collections.unmodifiableSet(invokedKeys);
  }

  public Map<String, Set<String>> tasksOfKey() {
    return Collections.unmodifiableMap(tasksOfKey);
  }

  public Map<String, JobStory> jobsByKey() {
    return Collections.unmodifiableMap(jobsByKey);
  }

  /** Jobs whose cancel was answered. */
  public Set<String> cancelledJobs() {
    return Collections.unmodifiableSet(cancelledJobs);
  }

  /** Jobs that somebody asked to cancel. */
  public Set<String> perhapsCancelledJobs() {
    return Collections.unmodifiableSet(perhapsCancelledJobs);
  }

  public List<FaultWindow> faults() {
    return Collections.unmodifiableList(faults);
  }

  public List<Failure> failures() {
    return Collections.unmodifiableList(failures);
  }

  /** As they were read, in the order of time. */
  public List<Position> positions() {
    return Collections.unmodifiableList(positions);
  }

  /** The rows that are left. */
  public Audit audit() {
    return audit;
  }

  /** When the last fault was over; empty if the history does not say so. */
  public OptionalLong healedAt() {
    return healedAt;
  }

  private TaskStory storyOf(String task) {
    return stories.computeIfAbsent(task, TaskStory::new);
  }

  private void sort(Event event) {
    if (event.phase() == Phase.INVOKE) {
      invokedAt.put(new Call(event.process(), event.call()), event.at());
    }
    switch (event.act()) {
      case CREATE -> create(event);
      case HOLD -> hold(event);
      case REPORT -> report(event);
      case BEAT -> beat(event);
      case READ -> read(event);
      case CANCEL -> cancel(event);
      case REVOKE -> revoke(event);
      case CREATE_JOB -> createJob(event);
      case CANCEL_JOB -> cancelJob(event);
      case RUN -> run(event);
      case WORKER -> {}
      case POSITION -> positions.add(new Position(event.status(), event.epoch()));
      case FAULT -> fault(event);
      case HEALED -> healedAt = OptionalLong.of(event.at());
    }
    if (event.phase() == Phase.UNKNOWN) {
      failed(event);
    }
  }

  private long startOf(Event event) {
    return invokedAt.getOrDefault(new Call(event.process(), event.call()), event.at());
  }

  private void create(Event event) {
    Item item = itemOf(event, null);
    switch (event.phase()) {
      case INVOKE -> {
        invokedKeys.add(event.key());
        unanswered.put(item, event);
      }
      case OK -> {
        unanswered.remove(item);
        tasksOfKey.computeIfAbsent(event.key(), k -> new HashSet<>()).add(event.task());
        storyOf(event.task()).creates.add(created(event, event.at()));
      }
      case FAIL -> unanswered.remove(item);
      case UNKNOWN -> {}
    }
  }

  private Create created(Event event, long endedAt) {
    return new Create(
        startOf(event), endedAt, event.key(), event.stage(), event.text(), event.delayMs());
  }

  private void hold(Event event) {
    if (event.phase() == Phase.OK && event.task() != null) {
      storyOf(event.task())
          .holds
          .add(
              new Hold(
                  startOf(event),
                  event.at(),
                  event.worker(),
                  event.key(),
                  event.epoch(),
                  event.stage(),
                  event.text(),
                  event.status(),
                  event.failures(),
                  event.leaseMs()));
    }
  }

  private void report(Event event) {
    Item item = itemOf(event, event.task());
    if (event.phase() == Phase.INVOKE) {
      unanswered.put(item, event);
      return;
    }
    unanswered.remove(item);
    storyOf(event.task()).deliveries.add(delivery(event, event.at()));
  }

  private Delivery delivery(Event event, long endedAt) {
    return new Delivery(
        startOf(event),
        endedAt,
        event.phase(),
        event.epoch(),
        event.key(),
        Outcome.valueOf(event.outcome()),
        event.nextStage(),
        event.text(),
        event.delayMs(),
        event.answer());
  }

  private void beat(Event event) {
    if (event.phase() == Phase.OK && "EXTENDED".equals(event.outcome())) {
      storyOf(event.task()).beats.add(new Beat(startOf(event), event.epoch(), event.leaseMs()));
    }
  }

  private void read(Event event) {
    if (event.phase() == Phase.OK) {
      storyOf(event.task())
          .reads
          .add(new Read(startOf(event), event.at(), event.epoch(), event.status()));
    } else if (event.phase() == Phase.FAIL && event.code() == ErrorCode.NO_SUCH_TASK.code()) {
      storyOf(event.task()).notFoundAt.add(startOf(event));
    }
  }

  private void run(Event event) {
    if (event.phase() == Phase.INVOKE) {
      storyOf(event.task())
          .runs
          .add(new Run(event.at(), event.process(), event.epoch(), event.stage()));
    }
  }

  private void cancel(Event event) {
    if (event.phase() == Phase.OK) {
      storyOf(event.task()).cancelledAt.add(event.at());
    }
  }

  private void revoke(Event event) {
    if (event.phase() == Phase.INVOKE) {
      storyOf(event.task()).revokedFrom.add(event.at());
    }
  }

  private void createJob(Event event) {
    if (event.phase() == Phase.INVOKE) {
      invokedKeys.add(event.key());
      jobsByKey.computeIfAbsent(event.key(), key -> new JobStory(key, event.at(), event.text()));
    } else if (event.phase() == Phase.OK) {
      jobsByKey.get(event.key()).acknowledged.add(event.task());
    }
  }

  private void cancelJob(Event event) {
    switch (event.phase()) {
      case INVOKE -> perhapsCancelledJobs.add(event.task());
      case OK -> cancelledJobs.add(event.task());
      case FAIL, UNKNOWN -> {}
    }
  }

  /** Nobody was told of this task: its job made it, at some time after it was asked for itself. */
  private void createdByItsJob(Audit.Row row, JobStory job) {
    String stage =
        switch (row.jobIndex()) {
          case Audit.Row.SPLIT -> JobSplitter.STAGE;
          case Audit.Row.MERGE -> JobMerger.STAGE;
          default -> Script.STAGES.get(0);
        };
    boolean isKnownChild = row.jobIndex() >= 0 && row.jobIndex() < job.children.size();
    String context = isKnownChild ? job.children.get(row.jobIndex()) : "";
    storyOf(row.task())
        .creates
        .add(new Create(job.invokedAt, TaskStory.NEVER, row.key(), stage, context, null));
  }

  private void fault(Event event) {
    Call call = new Call(event.process(), event.call());
    if (event.phase() == Phase.INVOKE) {
      openFaults.put(call, event);
    } else {
      broken(openFaults.remove(call), event.at());
    }
  }

  private void broken(Event start, long end) {
    Set<String> sufferers =
        start.worker() == null
            ? null
            : Arrays.stream(start.worker().split(","))
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toSet());
    faults.add(new FaultWindow(start.at(), end, sufferers));
  }

  private void failed(Event event) {
    boolean givenUp = RecordingFlowClient.INTERRUPTED.equals(event.answer());
    if (!givenUp) {
      String subject = event.process() + " call " + event.call() + " " + event.act();
      String what = event.code() == null ? "no answer: " : event.code() + ": ";
      failures.add(
          new Failure(startOf(event), event.at(), event.process(), subject, what + event.answer()));
    }
  }

  private static Item itemOf(Event event, String task) {
    return new Item(event.process(), event.call(), task, event.epoch(), event.key());
  }

  /** The process died before the answer came. */
  private void neverAnswered(Event event) {
    if (event.act() == Act.REPORT) {
      storyOf(event.task()).deliveries.add(delivery(event, TaskStory.NEVER));
    }
  }

  private void attributeUnansweredCreates() {
    for (Event event : unanswered.values()) {
      if (event.act() == Act.CREATE) {
        for (String task : tasksOfKey.getOrDefault(event.key(), Set.of())) {
          storyOf(task).creates.add(created(event, TaskStory.NEVER));
        }
      }
    }
  }
}
