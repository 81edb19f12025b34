package io.asyncflow.flowsvr.compose.schedule.slice;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.base.leader.LeaderElection;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.flowsvr.base.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.compose.schedule.slice.SlicePlan.Move;
import io.asyncflow.flowsvr.compose.schedule.slice.SliceStore.Counts;
import io.asyncflow.flowsvr.compose.schedule.slice.SliceStore.Row;
import io.asyncflow.flowsvr.task.number.LiveServers;
import io.asyncflow.flowsvr.task.number.ServerLoad;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.stereotype.Component;

/**
 * Keeps this server's share of the slices: renews its leases, takes what is vacant, hands over what
 * is above its share. See the package description.
 *
 * <p>While there are no schedules a round sends no statement. Otherwise it sends two, a third that
 * counts the schedules of a few of its slices, and more only when slices change their owners, and
 * in each fourth round to see the other servers. The beat of the server's number is one more. A
 * round follows the round before after 3 s, or when a lease of another server ends, and after a
 * second while slices are vacant or about to move: so a slice of a server that died has another
 * owner before the fires made ahead run out, and one that is handed over is soon looked at.
 *
 * <p>The owned slices may be read and used by any thread; rounds are run one at a time.
 */
@Component
public class SliceRounds
    implements SliceLeases, ServerLoad, ApplicationListener<ApplicationReadyEvent>, DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(SliceRounds.class);
  private static final Duration ROUND = Duration.ofSeconds(3);
  private static final Duration SHORT_ROUND = Duration.ofSeconds(1);
  private static final Duration AFTER_A_LEASE = Duration.ofMillis(50);
  private static final Duration BUSY_WINDOW = Duration.ofSeconds(60);

  /** The loads of the servers are compared once in so many rounds at least. */
  private static final int BALANCING_ROUNDS = 4;

  /** The schedules of each slice are counted once in so many rounds: once in about a minute. */
  private static final int COUNTING_ROUNDS = 16;

  /** A server that was silent for longer gets no slice; three of its beats were missed. */
  static final Duration ALIVE = Duration.ofSeconds(9);

  private final SliceStore store;
  private final LiveServers servers;
  private final Node node;
  private final SliceSettings settings;
  private final SchedulesInUse inUse;
  private final MeterRegistry meters;
  private final HeldSlices held;

  /** Since when each row has been as it is, by the monotonic clock in ns. */
  private Map<Lease, Long> unchangedSince = Map.of();

  /** What was vacant in the round before, at the epochs of that round. */
  private Set<OwnedSlice> vacantBefore = Set.of();

  /** What this server owned at the end of the round before. */
  private Set<OwnedSlice> owned = new HashSet<>();

  /** The paused schedules of the own slices, by slice, as of their last count. */
  private final Map<Integer, Integer> paused = new ConcurrentHashMap<>();

  private boolean isMoving;
  private int round;
  private long busyMeasuredAt;
  private volatile double busyShare;
  private volatile boolean isActive;
  private volatile int unowned;
  private volatile List<Row> mine = List.of();
  private volatile Duration pause = ROUND;
  private boolean isStopped;
  private BackgroundLoop loop;

  SliceRounds(
      SliceStore store,
      LiveServers servers,
      Node node,
      SliceSettings settings,
      SchedulesInUse inUse,
      LeaderElection election,
      TaskMeters shown,
      MeterRegistry meters) {
    this.store = store;
    this.servers = servers;
    this.node = node;
    this.settings = settings;
    this.inUse = inUse;
    this.meters = meters;
    this.held = new HeldSlices(node::nanoTime);
    countTakes("vacant", 0);
    countTakes("handed", 0);
    shown.show("schedule.slices.owned", "slices that this server owns", () -> trusted().size());
    shown.show(
        "schedule.slices.load",
        "load of the slices that this server owns",
        () -> mine.stream().mapToLong(Row::load).sum());
    String schedules = "schedules in the slices that this server owns, as of the last minute";
    shown.show("schedules", schedules, "state", "active", this::activeSchedules);
    shown.show("schedules", schedules, "state", "paused", this::pausedSchedules);
    shown.show(
        "schedule.slices.unowned",
        "slices without an owner, as the leader sees it; 0 on other servers",
        () -> election.term().isPresent() ? unowned : 0);
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent ready) {
    if (settings.enabled()) {
      loop = new BackgroundLoop("schedule-slices", this::pause, this::runOnce).start();
    }
  }

  /** What this server certainly owns now; empty if it owns none or cannot be sure. */
  List<OwnedSlice> trusted() {
    return held.trusted();
  }

  /** The active schedules in the slices that this server certainly owns. */
  int activeSchedules() {
    return trusted().isEmpty() ? 0 : mine.stream().mapToInt(Row::schedules).sum();
  }

  /** As {@link #activeSchedules}, the paused ones. */
  int pausedSchedules() {
    return trusted().isEmpty() ? 0 : paused.values().stream().mapToInt(Integer::intValue).sum();
  }

  @Override
  public SliceUse use() {
    return held.use();
  }

  @Override
  public int weight() {
    return settings.enabled() ? settings.weight() : 0;
  }

  @Override
  public int busy() {
    return (int) Math.round(100 * Math.min(1, busyShare));
  }

  /** The time until the next round. */
  Duration pause() {
    return pause;
  }

  /** What changes with each renewal and each change of the owner. */
  private record Lease(OwnedSlice slice, long end) {}

  /** One round. */
  synchronized void runOnce() {
    pause = ROUND; // also if this round fails
    isActive = !isStopped && inUse.inUse();
    if (!isActive) {
      rest();
      return;
    }
    long askedAt = node.nanoTime();
    measureBusy(askedAt);
    store.renew(node.id(), settings.lease());
    List<Row> rows = store.all();
    Set<Row> vacant = vacant(rows, askedAt);
    boolean isPlanned = ++round % BALANCING_ROUNDS == 0 || isMoving || !vacant.isEmpty();
    SlicePlan plan = new SlicePlan(isPlanned ? weights() : Map.of(), rows, vacant);
    List<Move> moves = plan.moves();
    isMoving = !moves.isEmpty();
    mine = rows.stream().filter(row -> row.owner().equals(node.id())).toList();
    compareWithRoundBefore();

    int taken = change(plan, moves, askedAt + settings.trust().toNanos());
    unowned = vacant.size() - taken;
    vacantBefore = ownedOf(vacant);
    pause = pauseAfter(rows, vacant, moves);
    count();
  }

  /** Nothing is to be fired: the leases run out by themselves. */
  private void rest() {
    held.set(Set.of(), 0);
    owned.clear();
    mine = List.of();
    vacantBefore = Set.of();
    isMoving = false;
    round = 0;
    unchangedSince = Map.of();
    paused.clear();
    unowned = 0;
    busyShare = 0;
  }

  /** A moving average over about a minute. */
  private void measureBusy(long now) {
    double passed = now - busyMeasuredAt;
    if (passed > 0) {
      double change = held.takeUsedNanos() / passed - busyShare;
      busyShare = busyShare + change * Math.min(1, passed / BUSY_WINDOW.toNanos());
      busyMeasuredAt = now;
    }
  }

  /** The slices whose lease is over, or whose row did not change for a whole lease. */
  private Set<Row> vacant(List<Row> rows, long askedAt) {
    long readAt = node.nanoTime();
    Map<Lease, Long> since = new HashMap<>();
    Set<Row> vacant = new HashSet<>();
    for (Row row : rows) {
      Lease lease = new Lease(row.owned(), row.leaseEnd());
      since.put(lease, unchangedSince.getOrDefault(lease, readAt));
      if (row.isOver() || askedAt - since.get(lease) >= settings.lease().toNanos()) {
        vacant.add(row);
      }
    }
    unchangedSince = since;
    return vacant;
  }

  private Map<String, Integer> weights() {
    Map<String, Integer> weights = new HashMap<>();
    servers.thatBeatWithin(ALIVE).forEach(server -> weights.put(server.node(), server.weight()));
    weights.put(node.id(), weight());
    return weights;
  }

  private static Set<OwnedSlice> ownedOf(Collection<Row> rows) {
    return rows.stream().map(Row::owned).collect(toSet());
  }

  private void compareWithRoundBefore() {
    Set<OwnedSlice> now = ownedOf(mine);
    long gained = now.stream().filter(slice -> !owned.contains(slice)).count();
    long lost = owned.stream().filter(slice -> !now.contains(slice)).count();
    owned = now;
    if (gained > 0) {
      isMoving = true; // more may follow soon
      countTakes("handed", gained);
      log.info("was handed {} slices of the schedules, owns {} now", gained, now.size());
    }
    if (lost > 0) {
      log.warn("lost {} slices of the schedules to other servers, owns {}", lost, now.size());
    }
  }

  private void countTakes(String how, long slices) {
    Counter.builder("asyncflow.schedule.slices.takes")
        .description("slices of the schedules that this server got")
        .tag("how", how)
        .register(meters)
        .increment(slices);
  }

  /**
   * Hands over what leaves, and takes what is vacant; returns how many slices it took. A slice in
   * use is handed over in a later round; no later use includes it.
   */
  private int change(SlicePlan plan, List<Move> moves, long trustedUntil) {
    List<Move> leaving =
        moves.stream().filter(move -> move.slice().owner().equals(node.id())).toList();
    Set<OwnedSlice> kept = new HashSet<>(owned);
    leaving.forEach(move -> kept.remove(move.slice().owned()));
    held.set(kept, trustedUntil);
    int given = 0;
    for (Move move : leaving) {
      Row slice = move.slice();
      if (!held.isInUse(slice.owned()) && store.give(slice, move.to(), true, settings.lease())) {
        owned.remove(slice.owned());
        given++;
      }
    }
    int taken = 0;
    for (Row row : plan.takes(node.id(), row -> vacantBefore.contains(row.owned()))) {
      if (store.give(row, node.id(), !row.isOver(), settings.lease())) {
        OwnedSlice slice = new OwnedSlice(row.slice(), row.epoch() + 1);
        kept.add(slice);
        owned.add(slice);
        taken++;
      }
    }
    held.set(kept, trustedUntil);
    if (given + taken > 0) {
      countTakes("vacant", taken);
      log.info(
          "handed over {} and took {} vacant slices of the schedules, owns {} now",
          given,
          taken,
          owned.size());
    }
    return taken;
  }

  private Duration pauseAfter(List<Row> rows, Set<Row> vacant, List<Move> moves) {
    boolean isAboutToOwn =
        unowned > 0 && weight() > 0 || moves.stream().anyMatch(m -> m.to().equals(node.id()));
    long regular = (isAboutToOwn ? SHORT_ROUND : ROUND).toMillis();
    return Duration.ofMillis(
        rows.stream()
            .filter(row -> !vacant.contains(row) && !row.owner().equals(node.id()))
            .mapToLong(row -> row.leaseMs() + AFTER_A_LEASE.toMillis())
            .reduce(regular, Math::min));
  }

  /** Counts the schedules of a part of the own slices: to count all at once takes seconds. */
  private void count() {
    int part = round % COUNTING_ROUNDS;
    List<Row> due = mine.stream().filter(row -> row.slice() % COUNTING_ROUNDS == part).toList();
    Map<Integer, Counts> found = due.isEmpty() ? Map.of() : store.count(due);
    paused.keySet().retainAll(mine.stream().map(Row::slice).toList());
    for (Row row : due) {
      Counts counts = found.getOrDefault(row.slice(), Counts.NONE);
      paused.put(row.slice(), counts.paused());
      if (counts.active() != row.schedules() || counts.load() != row.load()) {
        store.save(row, counts);
      }
    }
  }

  /** Ends the leases, so that other servers need not wait for their ends. */
  @Override
  public void destroy() {
    if (loop != null) {
      loop.close();
    }
    synchronized (this) {
      boolean wasActive = isActive;
      isStopped = true;
      runOnce();
      try {
        if (wasActive) {
          store.stop(node.id());
        }
      } catch (RuntimeException e) {
        log.info("the slices of the schedules could not be released; their leases will run out");
      }
    }
  }
}
