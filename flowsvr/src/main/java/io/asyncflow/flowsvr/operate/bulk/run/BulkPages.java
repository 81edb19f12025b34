package io.asyncflow.flowsvr.operate.bulk.run;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskAct;
import io.asyncflow.api.bulk.Bulk.Refusal;
import io.asyncflow.api.bulk.BulkState;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.Outage;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.access.key.CallerRefresh;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.operate.bulk.BulkCaps;
import io.asyncflow.flowsvr.operate.bulk.BulkRow;
import io.asyncflow.flowsvr.operate.bulk.BulkRow.Progress;
import io.asyncflow.flowsvr.operate.bulk.BulkStore;
import io.asyncflow.flowsvr.operate.operator.OperatorActs;
import io.asyncflow.flowsvr.operate.operator.RowChanger;
import io.asyncflow.flowsvr.operate.operator.RowChanger.Decided;
import io.asyncflow.flowsvr.operate.search.SearchForm;
import io.asyncflow.flowsvr.operate.search.TaskSearch;
import io.asyncflow.flowsvr.operate.search.TaskSearch.Page;
import io.asyncflow.flowsvr.operate.search.TaskSearch.Request;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.table.Freshness;
import io.asyncflow.flowsvr.task.table.NewTaskTables;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.rules.TaskActs;
import io.asyncflow.rules.TaskActs.Arguments;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.stereotype.Component;

/** Goes on with bulks, a page at a time; see the description of {@code bulk}. Thread-safe. */
@Component
public class BulkPages {

  private static final Logger log = LoggerFactory.getLogger(BulkPages.class);

  /** The rows of a page are locked together, and a claim that meets one waits for all. */
  public static final int PAGE = 100;

  /** To look at so many entries costs about as much as an act. */
  private static final int ENTRIES_AN_ACT = 100;

  private static final String NOT_WHOLE =
      "there are too many tables, stages or lanes for one search, so that some tasks were left out;"
          + " name fewer types or stages";

  private final BulkStore store;
  private final RowChanger changer;
  private final CallerRefresh callers;
  private final BulkCaps caps;
  private final TaskSearch search;
  private final ReadDatabase reads;
  private final TaskFamilies families;
  private final NewTaskTables newTaskTables;
  private final TaskStore tasks;
  private final OperatorActs operator;
  private final Acts acts;
  private final RetryingTransactions transactions;
  private final Events events;

  BulkPages(
      BulkStore store,
      RowChanger changer,
      CallerRefresh callers,
      BulkCaps caps,
      TaskSearch search,
      ReadDatabase reads,
      TaskFamilies families,
      NewTaskTables newTaskTables,
      TaskStore tasks,
      OperatorActs operator,
      Acts acts,
      RetryingTransactions transactions,
      Events events) {
    this.store = store;
    this.changer = changer;
    this.callers = callers;
    this.caps = caps;
    this.search = search;
    this.reads = reads;
    this.families = families;
    this.newTaskTables = newTaskTables;
    this.tasks = tasks;
    this.operator = operator;
    this.acts = acts;
    this.transactions = transactions;
    this.events = events;
  }

  /** What each act of a bulk leaves in its detail. */
  private record OfBulk(String bulkId, Object changed) {}

  /** Another leader has gone on with the bulk, or an operator has stopped it. */
  private static final class Moved extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Moved() {
      super("the bulk is no more where the page began", null, false, false);
    }
  }

  /** A table of the page takes no task back, so that failed ones run again as copies. */
  private static final class Drained extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Drained() {
      super("begin has moved past a table of the page", null, false, false);
    }
  }

  /** What a page is about. */
  private record SearchedPage(BulkRow bulk, Caller caller, Request search, Page found, long term) {

    /** Whether the task is what the preview has shown. */
    boolean has(TaskRow row) {
      return row.modifyTime() <= bulk.previewTime()
          && search.fits(row)
          && caller.sees(row.id().type().name(), row.userId());
    }

    /** An act as the bulk records it. */
    Act recorded(Act act) {
      return act.by(bulk.reason()).with(new OfBulk(Long.toString(bulk.id()), act.detail()));
    }
  }

  /** Counts what a page does. */
  private static final class PageCounts {
    private final List<Refusal> refusals = new ArrayList<>();
    private int done;
    private int skipped;

    private void refuse(TaskId id, FlowException why) {
      refusals.add(new Refusal(id.toString(), why.errorCode().code(), why.getMessage()));
    }

    private Progress after(Progress before, String position, int looked, long term) {
      return new Progress(
          position,
          before.pages() + 1,
          term,
          before.looked() + looked,
          before.done() + done,
          before.skipped() + skipped,
          before.refused() + refusals.size(),
          Stream.concat(before.refusals().stream(), refusals.stream())
              .limit(BulkRow.MOST_REFUSALS)
              .toList());
    }
  }

  /**
   * Goes on with a bulk by one page.
   *
   * @param bulk as it was read
   * @param term of the leader
   * @return what the page has cost, in acts; about the number of its tasks
   * @throws RuntimeException if the database does not do it now; the page comes again
   */
  public int next(BulkRow bulk, long term) {
    try {
      return page(bulk, term, PAGE);
    } catch (Moved e) {
      return 0;
    } catch (FlowException e) {
      if (e.retryable()) {
        throw e;
      }
      fail(bulk, term, e.getMessage());
      return 0;
    }
  }

  private void fail(BulkRow bulk, long term, String why) {
    log.warn("the bulk {} has failed and stays so: {}", bulk.id(), why);
    store.advance(bulk, unchanged(bulk, term), BulkState.FAILED, why);
  }

  private static Progress unchanged(BulkRow bulk, long term) {
    return new PageCounts().after(bulk.progress(), bulk.progress().position(), 0, term);
  }

  /**
   * @param size the most tasks
   */
  private int page(BulkRow bulk, long term, int size) {
    if (bulk.state() != BulkState.RUNNING) {
      return 0;
    }
    Caller caller = callers.find(bulk.actor().name(), bulk.granted()).orElse(null);
    if (caller == null || !caller.may(Verb.BULK) || !caller.may(bulk.verb())) {
      fail(bulk, term, bulk.actor().name() + " may not do this any more");
      return 0;
    }
    int most = Math.min(bulk.cap(), caps.of(caller));
    int limit = Math.min(size, most - bulk.progress().done());
    if (limit <= 0) {
      String why = most < bulk.cap() ? "the cap of its caller is %s by now".formatted(most) : "";
      advance(bulk, unchanged(bulk, term), BulkState.DONE, why);
      return 0;
    }
    Fields filter = Fields.of(bulk.filter());
    Request request =
        SearchForm.readFilter(filter, filter, bulk.previewTime(), caller)
            .madeUntilAbout(bulk.previewTime())
            .page(limit, bulk.progress().position());
    // With all tables that the preview has read; those that came later have no task of it.
    Freshness freshness = request.cursor() == null ? Freshness.NOW : Freshness.RECENT;
    Page found = reads.inTurn(() -> search.look(request, caller, freshness));
    return act(new SearchedPage(bulk, caller, request, found, term));
  }

  private int act(SearchedPage searched) {
    List<TaskId> ids = searched.found().ids();
    try {
      List<Decided> done = transactions.execute(() -> actOnAll(searched));
      done.stream().map(Decided::news).filter(Objects::nonNull).distinct().forEach(events::publish);
    } catch (Drained e) {
      if (ids.size() > 1) {
        return oneByOne(searched);
      }
      retryByCopy(searched, ids.get(0));
    } catch (Moved | TransientDataAccessException e) {
      throw e;
    } catch (RuntimeException e) {
      if (Outage.of(e).isPresent()) {
        throw e;
      }
      if (ids.size() > 1) {
        log.warn(
            "a page of the bulk {} failed; its tasks go on one by one", searched.bulk().id(), e);
        return oneByOne(searched);
      }
      log.error("the bulk {} cannot act on {}", searched.bulk().id(), ids, e);
      PageCounts counts = new PageCounts();
      FlowException why = new FlowException(ErrorCode.INTERNAL, "failed; the log has more");
      ids.forEach(id -> counts.refuse(id, why));
      advance(searched, counts);
    }
    return Math.max(ids.size(), searched.found().looked() / ENTRIES_AN_ACT);
  }

  /** Does a page that was not done as a whole as pages of one task each. */
  private int oneByOne(SearchedPage searched) {
    int cost = 0;
    for (int i = 0; i < searched.found().ids().size(); i++) {
      cost += page(store.find(searched.bulk().id()).orElseThrow(Moved::new), searched.term(), 1);
    }
    return cost;
  }

  /** Acts on the tasks of a page, in the transaction of this thread. */
  private List<Decided> actOnAll(SearchedPage searched) {
    BulkRow bulk = searched.bulk();
    PageCounts counts = new PageCounts();
    List<Decided> done = new ArrayList<>();
    searched.found().ids().stream()
        .collect(groupingBy(TaskId::table, TreeMap::new, toList()))
        .forEach((table, ids) -> decide(searched, table, ids, counts, done));
    if (!done.isEmpty()) {
      changer.write(bulk.taskAct(), done);
      acts.recordAll(
          bulk.actor(), done.stream().map(each -> searched.recorded(each.act())).toList());
    }
    advance(searched, counts);
    return done;
  }

  private void decide(
      SearchedPage searched,
      TaskTable table,
      List<TaskId> ids,
      PageCounts counts,
      List<Decided> done) {
    BulkRow bulk = searched.bulk();
    TaskAct act = bulk.taskAct();
    Arguments with = bulk.taskArguments();
    if (!families.has(table)) {
      counts.skipped += ids.size();
      return;
    }
    boolean mayRevive = !TaskActs.revives(act, with) || newTaskTables.enter(table);
    if (!mayRevive && act == TaskAct.RETRY) {
      throw new Drained();
    }
    List<TaskRow> rows = tasks.lock(table, ids.stream().map(TaskId::number).toList());
    counts.skipped += ids.size() - rows.size();
    for (TaskRow row : rows) {
      if (row.createTime() > bulk.previewTime()) {
        continue; // no task of the preview
      }
      try {
        if (searched.has(row) && !mayRevive) {
          throw OperatorActs.drained(row.id());
        }
        Decided made = searched.has(row) ? changer.decide(row, act, with) : null;
        if (made == null) {
          counts.skipped++;
        } else {
          counts.done++;
          done.add(made);
        }
      } catch (FlowException e) {
        counts.refuse(row.id(), e);
      }
    }
  }

  /** Retries a task whose table is drained. The copy commits with how far the bulk has come. */
  private void retryByCopy(SearchedPage searched, TaskId id) {
    PageCounts counts = new PageCounts();
    try {
      boolean isThere =
          families.has(id.table()) && tasks.find(id).filter(searched::has).isPresent();
      if (isThere && operator.retryByCopy(id, act -> record(searched, act))) {
        return;
      }
      counts.skipped++;
    } catch (FlowException e) {
      if (e.retryable()) {
        throw e;
      }
      counts.refuse(id, e);
    }
    advance(searched, counts);
  }

  private void record(SearchedPage searched, Act retry) {
    acts.recordBy(searched.bulk().actor(), searched.recorded(retry));
    PageCounts counts = new PageCounts();
    counts.done++;
    advance(searched, counts);
  }

  private void advance(SearchedPage searched, PageCounts counts) {
    Page found = searched.found();
    Progress before = searched.bulk().progress();
    boolean isEnd = found.nextCursor() == null;
    String position = isEnd ? before.position() : found.nextCursor();
    advance(
        searched.bulk(),
        counts.after(before, position, found.looked(), searched.term()),
        isEnd ? BulkState.DONE : BulkState.RUNNING,
        isEnd && !found.isWhole() ? NOT_WHOLE : "");
  }

  private void advance(BulkRow from, Progress to, BulkState state, String error) {
    if (!store.advance(from, to, state, error)) {
      throw new Moved();
    }
  }
}
