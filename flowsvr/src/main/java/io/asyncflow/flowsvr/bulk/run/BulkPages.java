package io.asyncflow.flowsvr.bulk.run;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.bulk.Bulk.Refusal;
import io.asyncflow.api.bulk.BulkState;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.access.key.LaterCallers;
import io.asyncflow.flowsvr.act.Act;
import io.asyncflow.flowsvr.act.Acts;
import io.asyncflow.flowsvr.bulk.BulkCaps;
import io.asyncflow.flowsvr.bulk.BulkRow;
import io.asyncflow.flowsvr.bulk.BulkStore;
import io.asyncflow.flowsvr.operator.OperatorActs;
import io.asyncflow.flowsvr.operator.RowChanger;
import io.asyncflow.flowsvr.operator.RowChanger.Decided;
import io.asyncflow.flowsvr.search.SearchForm;
import io.asyncflow.flowsvr.search.TaskSearch;
import io.asyncflow.flowsvr.search.TaskSearch.Page;
import io.asyncflow.flowsvr.search.TaskSearch.Request;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.Outage;
import io.asyncflow.flowsvr.system.db.ReadDatabase;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktable.Freshness;
import io.asyncflow.flowsvr.tasktable.NewTaskTables;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.rules.TaskAct;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
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

  private static final Comparator<TaskTable> BY_NAME =
      Comparator.<TaskTable, String>comparing(table -> table.type().name())
          .thenComparingInt(TaskTable::number);

  private final BulkStore store;
  private final RowChanger changer;
  private final LaterCallers callers;
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

  /** How many further tasks of a bulk have each a page of its own. */
  private final Map<Long, Integer> alone = new ConcurrentHashMap<>();

  BulkPages(
      BulkStore store,
      RowChanger changer,
      LaterCallers callers,
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
  private record Part(BulkRow bulk, Caller caller, Request search, Page found, long term) {

    boolean isEnd() {
      return found.nextCursor() == null;
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
    if (bulk.state() != BulkState.RUNNING) {
      return 0;
    }
    Caller caller = callers.find(bulk.actor().name(), bulk.granted()).orElse(null);
    Verb verb = BulkRow.verbOf(bulk.act());
    if (caller == null || !caller.may(Verb.BULK) || !caller.may(verb)) {
      fail(bulk, term, bulk.actor().name() + " may not do this any more");
      return 0;
    }
    try {
      return page(bulk, caller, term);
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
    store.fail(bulk, term, why);
    alone.remove(bulk.id());
  }

  private int page(BulkRow bulk, Caller caller, long term) {
    int ofItsOwn = alone.getOrDefault(bulk.id(), 0);
    int most = Math.min(bulk.cap(), caps.of(caller));
    int limit = Math.min(ofItsOwn > 0 ? 1 : PAGE, most - bulk.progress().done());
    if (limit <= 0) {
      String left = most < bulk.cap() ? "the cap of its caller is %s by now".formatted(most) : null;
      advance(bulk, new Tally(bulk.progress()).to(bulk.progress().position(), 0, term), true, left);
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
    Part part = new Part(bulk, caller, request, found, term);
    int size = found.ids().size();
    try {
      act(part, limit);
    } catch (Drained e) {
      if (size > 1) {
        alone.put(bulk.id(), size);
        return 0;
      }
      retryByCopies(part);
    }
    if (ofItsOwn > 0) {
      alone.compute(bulk.id(), (id, left) -> left == null || left <= 1 ? null : left - 1);
    }
    if (part.isEnd()) {
      alone.remove(bulk.id());
    }
    return Math.max(size, found.looked() / ENTRIES_AN_ACT);
  }

  private void act(Part part, int limit) {
    try {
      List<Decided> done = transactions.execute(() -> actOnAll(part));
      Set<TasksWaiting> news = new LinkedHashSet<>();
      done.stream().map(Decided::news).filter(told -> told != null).forEach(news::add);
      news.forEach(events::publish);
    } catch (Moved | Drained | TransientDataAccessException e) {
      throw e;
    } catch (RuntimeException e) {
      if (Outage.of(e).isPresent()) {
        throw e;
      }
      int size = part.found().ids().size();
      if (size > 1 && limit > 1) {
        log.warn("a page of the bulk {} failed; its tasks go on one by one", part.bulk().id(), e);
        alone.put(part.bulk().id(), size);
        throw new Moved();
      }
      log.error("the bulk {} cannot act on {}", part.bulk().id(), part.found().ids(), e);
      Tally tally = new Tally(part.bulk().progress());
      part.found()
          .ids()
          .forEach(
              id ->
                  tally.refuse(
                      new Refusal(
                          id.toString(), ErrorCode.INTERNAL.code(), "failed; the log has more")));
      advance(part, tally);
    }
  }

  /** Acts on the tasks of a page, in the transaction of this thread. */
  private List<Decided> actOnAll(Part part) {
    BulkRow bulk = part.bulk();
    TaskAct act = bulk.taskAct();
    TaskAct.Arguments with = bulk.taskArguments();
    Tally tally = new Tally(bulk.progress());
    List<Decided> done = new ArrayList<>();
    byTable(part.found().ids())
        .forEach(
            (table, ids) -> {
              if (!families.has(table)) {
                ids.forEach(id -> tally.skip());
                return;
              }
              boolean mayRevive = !act.revives(with) || newTaskTables.enter(table);
              if (!mayRevive && act == TaskAct.RETRY) {
                throw new Drained();
              }
              List<TaskRow> rows = tasks.lock(table, ids.stream().map(TaskId::number).toList());
              for (int gone = rows.size(); gone < ids.size(); gone++) {
                tally.skip();
              }
              for (TaskRow row : rows) {
                if (row.createTime() > bulk.previewTime()) {
                  continue; // no task of the preview
                }
                if (!fits(row, part)) {
                  tally.skip();
                  continue;
                }
                try {
                  if (!mayRevive) {
                    throw OperatorActs.drained(row.id());
                  }
                  Decided made = changer.decide(row, act, with);
                  if (made == null) {
                    tally.skip();
                  } else {
                    tally.done();
                    done.add(made);
                  }
                } catch (FlowException e) {
                  tally.refuse(refusal(row.id(), e));
                }
              }
            });
    if (!done.isEmpty()) {
      changer.write(act, done);
      acts.recordAllBy(bulk.actor(), done.stream().map(each -> ofBulk(each.act(), bulk)).toList());
    }
    advance(part, tally);
    return done;
  }

  private static Map<TaskTable, List<TaskId>> byTable(List<TaskId> ids) {
    Map<TaskTable, List<TaskId>> byTable = new TreeMap<>(BY_NAME);
    ids.forEach(id -> byTable.computeIfAbsent(id.table(), table -> new ArrayList<>()).add(id));
    return byTable;
  }

  /** Whether the task is what the preview has shown. */
  private static boolean fits(TaskRow row, Part part) {
    return row.modifyTime() <= part.bulk().previewTime()
        && part.search().fits(row)
        && part.caller().sees(row.id().type().name(), row.userId());
  }

  private static Refusal refusal(TaskId id, FlowException why) {
    return new Refusal(id.toString(), why.errorCode().code(), why.getMessage());
  }

  private static Act ofBulk(Act act, BulkRow bulk) {
    return act.by(bulk.reason()).with(new OfBulk(Long.toString(bulk.id()), act.detail()));
  }

  /** Retries tasks whose table is drained. Each copy commits with how far the bulk has come. */
  private void retryByCopies(Part part) {
    BulkRow bulk = part.bulk();
    Tally tally = new Tally(bulk.progress());
    for (TaskId id : part.found().ids()) {
      Optional<TaskRow> row = families.has(id.table()) ? tasks.find(id) : Optional.empty();
      if (row.filter(found -> fits(found, part)).isEmpty()) {
        tally.skip();
        continue;
      }
      try {
        boolean isMade =
            operator.retryByCopy(
                id,
                bulk.reason(),
                act -> acts.recordBy(bulk.actor(), ofBulk(act, bulk)),
                () -> advance(part, tally.andOneDone()));
        if (isMade) {
          return;
        }
        tally.skip();
      } catch (FlowException e) {
        if (e.retryable()) {
          throw e;
        }
        tally.refuse(refusal(id, e));
      }
    }
    advance(part, tally);
  }

  private void advance(Part part, Tally tally) {
    String position = part.isEnd() ? part.bulk().progress().position() : part.found().nextCursor();
    String left = part.isEnd() && !part.found().isWhole() ? NOT_WHOLE : null;
    advance(
        part.bulk(), tally.to(position, part.found().looked(), part.term()), part.isEnd(), left);
  }

  private void advance(BulkRow from, BulkRow.Progress to, boolean isEnd, String left) {
    if (!store.advance(from, to, isEnd, left)) {
      throw new Moved();
    }
  }
}
