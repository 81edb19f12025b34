package io.asyncflow.flowsvr.operate.bulk;

import io.asyncflow.api.Task;
import io.asyncflow.api.bulk.BulkPreview;
import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.key.CallerRefresh;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.operate.search.TaskSearch;
import io.asyncflow.flowsvr.operate.search.TaskSearch.Page;
import io.asyncflow.flowsvr.task.number.ServerNumber;
import io.asyncflow.flowsvr.task.table.Freshness;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.stereotype.Service;
import tools.jackson.databind.json.JsonMapper;

/** Shows what a bulk would do, and keeps it. Thread-safe. */
@Service
class BulkPreviews {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** The most tasks that are counted. */
  static final int MOST_COUNTED = 10_000;

  private static final int PAGE = 1_000;
  private static final int SAMPLES = 5;
  private static final long TIME_OVER = Duration.ofMillis(300).toNanos();

  /** For how long a preview can be started. */
  private static final Duration LIFE = Duration.ofMinutes(10);

  private final BulkStore store;
  private final BulkCaps caps;
  private final TaskSearch search;
  private final ReadDatabase reads;
  private final TaskTypes types;
  private final CallerRefresh callers;
  private final ServerNumber numbers;
  private final Node node;

  BulkPreviews(
      BulkStore store,
      BulkCaps caps,
      TaskSearch search,
      ReadDatabase reads,
      TaskTypes types,
      CallerRefresh callers,
      ServerNumber numbers,
      Node node) {
    this.store = store;
    this.caps = caps;
    this.search = search;
    this.reads = reads;
    this.types = types;
    this.callers = callers;
    this.numbers = numbers;
    this.node = node;
  }

  /** What a look has found. */
  private static final class Findings {
    private final Map<String, Integer> byStatus = new TreeMap<>();
    private final List<TaskRow> samples = new ArrayList<>();
    private int count;
    private long looked;
    private boolean isWhole;

    private void add(TaskRow row) {
      byStatus.merge(row.status().name(), 1, Integer::sum);
      if (samples.size() < SAMPLES) {
        samples.add(row);
      }
      count++;
    }
  }

  BulkPreview preview(Fields in, Caller caller) {
    long now = store.now();
    BulkForm form = BulkForm.read(in, now, caller, caps.of(caller));
    Findings found = reads.inTurn(() -> look(form, now, caller));
    long id = numbers.nextTaskNumber();
    BulkToken token = BulkToken.of(id);
    long until = now + LIFE.toMillis();
    store.insert(
        token,
        form,
        now,
        until,
        found.count,
        found.isWhole,
        caller.principal(),
        callers.granted(caller));
    return new BulkPreview(
        Long.toString(id),
        form.act(),
        form.arguments(),
        filter(form.filter()),
        found.isWhole ? BoundedCount.exactly(found.count) : BoundedCount.atLeast(found.count),
        found.looked,
        found.byStatus,
        found.samples.stream().flatMap(row -> sample(row).stream()).toList(),
        form.cap(),
        token.text(),
        until);
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> filter(Object json) {
    return JSON.convertValue(json, Map.class);
  }

  private Optional<Task> sample(TaskRow row) {
    return types.find(row.id().type()).map(row::toTask).map(Task::withoutContents);
  }

  private Findings look(BulkForm form, long now, Caller caller) {
    Findings found = new Findings();
    long begin = node.nanoTime();
    String cursor = null;
    do {
      TaskSearch.Request request = form.search().page(PAGE, cursor);
      // A count that is called exact has the tasks of types that another server made just now.
      Freshness freshness = cursor == null ? Freshness.NOW : Freshness.RECENT;
      Page page = search.look(request, caller, freshness);
      search.rows(page, request, caller).stream()
          .filter(row -> row.createTime() <= now && row.modifyTime() <= now)
          .forEach(found::add);
      found.looked += page.looked();
      found.isWhole = page.isWhole();
      cursor = page.nextCursor();
    } while (cursor != null
        && found.count < MOST_COUNTED
        && found.looked < MOST_COUNTED
        && node.nanoTime() - begin < TIME_OVER);
    found.isWhole &= cursor == null;
    return found;
  }
}
