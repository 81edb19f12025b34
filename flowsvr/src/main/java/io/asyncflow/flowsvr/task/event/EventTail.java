package io.asyncflow.flowsvr.task.event;

import static java.util.Comparator.comparingLong;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.flowsvr.base.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.base.system.db.DatabaseWatch;
import io.asyncflow.flowsvr.base.system.db.IdStep;
import io.asyncflow.flowsvr.base.system.redis.ClusterEvent;
import io.asyncflow.flowsvr.task.event.log.EventIds;
import io.asyncflow.flowsvr.task.event.log.EventStore;
import io.asyncflow.flowsvr.task.event.log.EventStore.Moment;
import io.asyncflow.flowsvr.task.event.log.EventStore.Range;
import io.asyncflow.flowsvr.task.event.log.EventStore.Remainder;
import io.asyncflow.flowsvr.task.event.log.EventsWritten;
import io.asyncflow.flowsvr.task.event.log.LoggedEvent;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Reads the log of events as it is written, for all listeners of this server, and only while there
 * are any. It reads about once a second, and at once after news.
 *
 * <p>Thread-safe. Listeners are called by the tail's one thread, so they must not block.
 */
@Component
public class EventTail implements DisposableBean {

  /** After so long a missing id is missing for good: more than {@code wait_timeout}. */
  static final Duration PATIENCE = Duration.ofSeconds(100);

  /**
   * So long after its end a day may get events, and after a change of the step ids of the one
   * before may appear: twice as long.
   */
  static final Duration AFTER_CHANGE = PATIENCE.multipliedBy(2);

  /** Even with its jitter, what another server has written is read within a second. */
  private static final Duration POLL = Duration.ofMillis(800);

  /** The shortest time between two rounds, so that many commits are read together. */
  private static final Duration PAUSE = Duration.ofMillis(20);

  /** The same while ids of another step may appear, which only a look at many rows finds. */
  private static final Duration PAUSE_IN_DOUBT = Duration.ofSeconds(1);

  /** The rounds for which the tail goes on without listeners, because they come again. */
  private static final int IDLE_ROUNDS = 10;

  /** Rounds that have not worked for so long make readers late. */
  private static final Duration SILENCE = Duration.ofSeconds(10);

  private static final int PAGE = 1_000;
  private static final int MAX_PAGES = 20;
  private static final int MOST_RANGES = 500;

  /** Is told when the tail has read. */
  public interface Listener {

    /** The tail has finished a round. */
    void advanced();
  }

  private record Day(LocalDate date, SeenIds ids) {}

  private final EventStore store;
  private final DatabaseWatch database;
  private final Node node;
  private final RecentEvents recent = new RecentEvents();
  private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
  private final BackgroundLoop loop;

  // Used by the tail's thread alone.
  private final Deque<Day> days = new ArrayDeque<>();
  private int idleRounds;
  private long lastRound;
  private Moment moment;
  private boolean inDoubt;

  /** When an id or a session of another step was seen last; ns, monotonic. */
  private long doubted;

  private volatile long roundsBegun;
  private volatile int gaps;
  private volatile long lagMs;
  private volatile long lastGoodRound;

  EventTail(EventStore store, DatabaseWatch database, Node node, TaskMeters meters) {
    this.store = store;
    this.database = database;
    this.node = node;
    this.lastRound = node.nanoTime();
    this.doubted = lastRound - AFTER_CHANGE.toNanos();
    meters.show("events.gaps", "ranges of ids that the tail of events misses", () -> gaps);
    this.lastGoodRound = node.nanoTime();
    meters.showSeconds(
        "events.lag",
        "from an event to its read by the tail; grows while the tail cannot read",
        this::lagSeconds);
    loop = BackgroundLoop.start("event-tail", POLL, this::round);
  }

  /** Tells the listener of each round from now on; the first one begins at once. */
  public void add(Listener listener) {
    listeners.add(listener);
    loop.runSoon();
  }

  public void remove(Listener listener) {
    listeners.remove(listener);
  }

  /**
   * The id up to which no event is missing, nor will one appear; empty before the first round with
   * a listener.
   */
  public OptionalLong stable() {
    return recent.position().map(now -> OptionalLong.of(now.stable())).orElse(OptionalLong.empty());
  }

  /**
   * The number of rounds that have begun. A round that begins later finds all that was committed
   * before this call.
   */
  public long roundsBegun() {
    return roundsBegun;
  }

  /**
   * Reads all events after a cursor, while a listener keeps the tail reading.
   *
   * @param cursor {@code null} for what comes from now on
   */
  public EventReader readerAfter(Long cursor) {
    return new EventReader(recent, store, cursor);
  }

  @Bean
  static ClusterEvent.Kind eventNews() {
    return new ClusterEvent.Kind("event", new EventsWritten(true));
  }

  @EventListener
  void on(EventsWritten news) {
    wake();
  }

  /** There may be new events. */
  void wake() {
    if (!listeners.isEmpty()) {
      loop.runSoon();
    }
  }

  /** After a failure it begins anew, because rows that were read may not have been published. */
  private void round() {
    roundsBegun = roundsBegun + 1;
    try {
      readOrIdle();
      lastGoodRound = node.nanoTime();
    } catch (RuntimeException e) {
      stop();
      throw e;
    }
  }

  private void readOrIdle() {
    idleRounds = listeners.isEmpty() ? idleRounds + 1 : 0;
    if (idleRounds > IDLE_ROUNDS) {
      stop();
      lagMs = 0;
      return;
    }
    if (idleRounds > 0 && days.isEmpty()) {
      return;
    }
    Duration pause = inDoubt ? PAUSE_IN_DOUBT : PAUSE;
    LockSupport.parkNanos(lastRound + pause.toNanos() - node.nanoTime());
    lastRound = node.nanoTime();
    if (days.isEmpty()) {
      start();
    }
    List<LoggedEvent> read = new ArrayList<>();
    long before;
    do {
      before = moment.time();
      read(read);
      look();
    } while (addDays());
    settle();
    leaveOldDays(before);
    publish(read, moment.time());
    listeners.forEach(Listener::advanced);
  }

  /**
   * Reads the step behind the ids: those that were given out by another one are then below ids of
   * this round, and not of an earlier one.
   */
  private void look() {
    Moment now = store.moment();
    if (!now.step().equals(moment.step())) {
      doubted = node.nanoTime();
    }
    moment = now;
  }

  private boolean addDays() {
    int known = days.size();
    for (LocalDate day = days.getLast().date();
        day.isBefore(EventStore.dayOf(moment.time()));
        day = day.plusDays(1)) {
      LocalDate next = day.plusDays(1);
      days.add(new Day(next, new SeenIds(EventIds.before(next), moment.step())));
    }
    return days.size() > known;
  }

  private void settle() {
    IdStep step = moment.step();
    long since = lastRound - AFTER_CHANGE.toNanos();
    boolean isCertain = doubted - since <= 0 && database.hasKept(step, since);
    long now = node.nanoTime();
    for (Day day : days) {
      day.ids().settle(step, isCertain, now, lastRound - PATIENCE.toNanos());
    }
    inDoubt = days.stream().anyMatch(day -> !day.ids().remainders().isEmpty());
  }

  private double lagSeconds() {
    long silent = node.nanoTime() - lastGoodRound;
    return lagMs / 1e3 + (silent > SILENCE.toNanos() ? silent / 1e9 : 0);
  }

  private void stop() {
    days.clear();
    recent.clear();
    gaps = 0;
  }

  /**
   * Begins at an id below which nothing can appear. What lies between it and now was written before
   * there was a listener, so only the ids are read, to find what is missing.
   */
  private void start() {
    moment = store.moment();
    long now = moment.time();
    LocalDate today = EventStore.dayOf(now);
    boolean isNew = now < EventStore.startOf(today) + AFTER_CHANGE.toMillis();
    LocalDate first = isNew ? today.minusDays(1) : today;
    SeenIds ids = new SeenIds(store.lastBefore(first, now - PATIENCE.toMillis()), moment.step());
    List<Long> page;
    do {
      page = store.idsAfter(first, ids.last(), PAGE * MAX_PAGES);
      long readAt = node.nanoTime();
      page.forEach(id -> ids.see(id, readAt));
    } while (!page.isEmpty());
    days.add(new Day(first, ids));
  }

  /** Adds what is new and what was missing, and sorts by the ids. */
  private void read(List<LoggedEvent> read) {
    for (Day day : days) {
      if (!readNew(day, read)) {
        break; // events of a later day come after those of this one
      }
    }
    if (days.size() > 1) {
      readNew(days.getFirst(), read); // what was committed before the later day was read
    }
    days.forEach(day -> readGaps(day, read));
    read.sort(comparingLong(LoggedEvent::id));
  }

  /** Reads what is above the last id; false if there is more. */
  private boolean readNew(Day day, List<LoggedEvent> read) {
    for (int i = 0; i < MAX_PAGES; i++) {
      List<LoggedEvent> page = store.after(day.date(), day.ids().last(), PAGE);
      if (!page.stream().allMatch(event -> moment.step().reaches(event.id()))) {
        doubted = node.nanoTime();
      }
      see(day, page, read);
      if (page.size() < PAGE) {
        return true;
      }
    }
    loop.runSoon();
    return false;
  }

  private void readGaps(Day day, List<LoggedEvent> read) {
    List<Remainder> remainders = inDoubt ? day.ids().remainders() : List.of();
    if (!remainders.isEmpty()) {
      day.ids().find(store.idsOf(day.date(), remainders), node.nanoTime());
    }
    List<Range> gaps = day.ids().gaps(MOST_RANGES);
    if (!gaps.isEmpty()) {
      see(day, store.within(day.date(), gaps), read);
    }
    day.ids().closeMissedBefore(lastRound - PATIENCE.toNanos());
  }

  /** A gap is as old as the statement that showed it, not as the round, which may have slept. */
  private void see(Day day, List<LoggedEvent> rows, List<LoggedEvent> read) {
    long readAt = node.nanoTime();
    rows.stream().filter(row -> day.ids().see(row.id(), readAt)).forEach(read::add);
  }

  /**
   * @param now as read before the rows of this round
   */
  private void leaveOldDays(long now) {
    while (days.size() > 1
        && days.getFirst().ids().gaps(MOST_RANGES).isEmpty()
        && now >= endOf(days.getFirst()) + AFTER_CHANGE.toMillis()) {
      days.removeFirst();
    }
  }

  private static long endOf(Day day) {
    return EventStore.startOf(day.date().plusDays(1));
  }

  private void publish(List<LoggedEvent> read, long now) {
    recent.add(read, days.getLast().ids().last(), days.getFirst().ids().stable());
    gaps = days.stream().mapToInt(day -> day.ids().gaps(Integer.MAX_VALUE).size()).sum();
    lagMs = read.stream().mapToLong(event -> Math.max(0, now - event.time())).max().orElse(0);
  }

  @Override
  public void destroy() {
    loop.close();
  }
}
