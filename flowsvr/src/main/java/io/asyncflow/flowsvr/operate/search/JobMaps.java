package io.asyncflow.flowsvr.operate.search;

import static io.asyncflow.flowsvr.task.table.Freshness.RECENT;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.find.JobMap;
import io.asyncflow.flowsvr.compose.job.core.JobStore;
import io.asyncflow.flowsvr.compose.job.core.JobTaskStore;
import io.asyncflow.flowsvr.compose.job.core.JobTaskStore.Child;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.operate.search.SearchStore.Progress;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.springframework.stereotype.Service;

/** Stretches of the children of a job, a letter each. Thread-safe. */
@Service
class JobMaps {

  private static final int SLICE = 1_000;
  private static final char STAGED = 'q';
  private static final char GONE = '-';

  private final SearchStore store;
  private final JobStore jobs;
  private final JobTaskStore tasks;
  private final TaskFamilies families;

  JobMaps(SearchStore store, JobStore jobs, JobTaskStore tasks, TaskFamilies families) {
    this.store = store;
    this.jobs = jobs;
    this.tasks = tasks;
    this.families = families;
  }

  /**
   * The children from this index on.
   *
   * @throws FlowException with {@link ErrorCode#NO_SUCH_JOB} if the caller sees no such job
   */
  JobMap of(long jobId, int from, int count, Caller caller) {
    JobRow job = head(jobId, caller);
    int total = job.total() == null ? 0 : job.total();
    int length = Math.max(0, Math.min(count, total - from));
    char[] map = new char[length];
    Arrays.fill(map, job.state().isFinal() ? letter(TaskStatus.CANCELLED) : STAGED);
    SortedMap<Integer, Integer> progress = new TreeMap<>();
    for (int begin = from; begin < from + length; begin += SLICE) {
      int slice = Math.min(SLICE, from + length - begin);
      fill(map, from, children(job, begin, slice), progress);
    }
    return new JobMap(from, new String(map), progress);
  }

  /** The job, if the caller sees it. */
  JobRow head(long jobId, Caller caller) {
    return jobs.get(jobId, caller);
  }

  /** The children that are tasks, from this index on. */
  List<Child> children(JobRow job, int from, int limit) {
    return tasks.tasks(job.id(), job.childType(), from, limit);
  }

  private void fill(char[] map, int from, List<Child> children, Map<Integer, Integer> progress) {
    Map<TaskTable, Map<Long, Integer>> indexes = new HashMap<>();
    for (Child child : children) {
      map[child.index() - from] = GONE;
      indexes
          .computeIfAbsent(child.task().table(), table -> new HashMap<>())
          .put(child.task().number(), child.index());
    }
    for (TaskTable table : families.existing(indexes.keySet(), RECENT)) {
      Map<Long, Integer> ofTable = indexes.get(table);
      for (Progress task : store.progress(table, new ArrayList<>(ofTable.keySet()))) {
        int index = ofTable.get(task.number());
        map[index - from] = letter(task.status());
        if (task.status() == TaskStatus.EXECUTING && task.progress() != null) {
          progress.put(index, task.progress());
        }
      }
    }
  }

  private static char letter(TaskStatus status) {
    return switch (status) {
      case WAITING -> 'w';
      case EXECUTING -> 'r';
      case SUCCESS -> 's';
      case FAILED -> 'f';
      case CANCELLED -> 'c';
      case PAUSED -> 'p';
    };
  }
}
