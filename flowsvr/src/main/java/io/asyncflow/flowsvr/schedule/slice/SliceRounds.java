package io.asyncflow.flowsvr.schedule.slice;

import static java.util.stream.Collectors.toMap;

import io.asyncflow.flowsvr.leader.LeaderElection;
import io.asyncflow.flowsvr.number.LiveServers;
import io.asyncflow.flowsvr.number.LiveServers.LiveServer;
import io.asyncflow.flowsvr.number.ServerLoad;
import io.asyncflow.flowsvr.schedule.slice.SliceStore.Counts;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.system.concurrent.BackgroundLoop;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Autowired;
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
  private final Function<Duration, List<LiveServer>> servers;
  private final Node node;
  private final SliceSettings settings;
  private final BooleanSupplier inUse;
  private final MeterRegistry meters;
  private final HeldSlices held;

  /** Since when each row has been as it is, by the monotonic clock in ns. */
  private final Map<Lease, Long> unchangedSince = new HashMap<>();

  /** What was vacant in the round before, at the epochs of that round. */
  private final Set<OwnedSlice> vacantBefore = new HashSet<>();

  /** The paused schedules of the own slices, by slice, as of their last count. */
  private final Map<Integer, Integer> paused = new ConcurrentHashMap<>();

  private boolean isMoving;
  private int round;
  private long busyMeasuredAt;
  private volatile double busyShare;
  private volatile boolean isActive;
  private volatile int unowned;
  private volatile List<SliceStore.Row> mine = List.of();
  private volatile Duration pause = ROUND;
  private boolean isStopped;
  private BackgroundLoop loop;

  @Autowired
  SliceRounds(
      SliceStore store,
      LiveServers servers,
      Node node,
      SliceSettings settings,
      SchedulesInUse inUse,
      LeaderElection election,
      TaskMeters shown,
      MeterRegistry meters) {
    this(store, servers::thatBeatWithin, node, settings, inUse::inUse, meters);
    shown.show("schedule.slices.owned", "slices that this server owns", () -> trusted().size());
    shown.show("schedule.slices.load", "load of the slices that this server owns", this::load);
    showSchedules(shown, "active", this::activeSchedules);
    showSchedules(shown, "paused", this::pausedSchedules);
    shown.show(
        "schedule.slices.unowned",
        "slices without an owner, as the leader sees it; 0 on other servers",
        () -> election.term().isPresent() ? unowned : 0);
  }

  private static void showSchedules(TaskMeters shown, String state, Supplier<Number> schedules) {
    shown.show(
        "schedules",
        "schedules in the slices that this server owns, as of the last minute",
        "state",
        state,
        schedules);
  }

  /**
   * @param servers the servers that beat within a time
   * @param inUse whether there are schedules
   */
  SliceRounds(
      SliceStore store,
      Function<Duration, List<LiveServer>> servers,
      Node node,
      SliceSettings settings,
      BooleanSupplier inUse,
      MeterRegistry meters) {
    this.store = store;
    this.servers = servers;
    this.node = node;
    this.settings = settings;
    this.inUse = inUse;
    this.meters = meters;
    this.held = new HeldSlices(node::nanoTime);
    taken("vacant", 0);
    taken("handed", 0);
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent ready) {
    if (settings.enabled()) {
      loop = BackgroundLoop.start("schedule-slices", this::pause, this::runOnce);
    }
  }

  /** What this server certainly owns now; empty if it owns none or cannot be sure. */
  List<OwnedSlice> trusted() {
    return held.trusted();
  }

  private long load() {
    return mine.stream().mapToLong(SliceStore.Row::load).sum();
  }

  /** The active schedules in the slices that this server certainly owns. */
  int activeSchedules() {
    return trusted().isEmpty() ? 0 : mine.stream().mapToInt(SliceStore.Row::schedules).sum();
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

  @Override
  public boolean beatsOften() {
    return isActive;
  }

  /** What changes with each renewal and each change of the owner. */
  private record Lease(OwnedSlice slice, long end) {}

  /** One round. */
  synchronized void runOnce() {
    pause = ROUND; // also if this round fails
    if (isStopped) {
      return;
    }
    if (!inUse.getAsBoolean()) {
      rest();
      return;
    }
    long askedAt = node.nanoTime();
    begin(askedAt);
    store.renew(node.id(), settings.lease());
    List<SliceStore.Row> rows = store.all();
    Set<SliceStore.Row> vacant = vacant(rows, askedAt);
    boolean isBalanceDue = ++round % BALANCING_ROUNDS == 0 || isMoving;
    SlicePlan plan = plan(rows, vacant, isBalanceDue || !vacant.isEmpty());
    // Not while some are vacant: loads are about to change without any move.
    List<SlicePlan.Move> moves =
        isBalanceDue && vacant.isEmpty() ? plan.moves() : List.<SlicePlan.Move>of();
    isMoving = !moves.isEmpty();

    mine = rows.stream().filter(row -> row.owner().equals(node.id())).toList();
    Map<OwnedSlice, String> leaving = new HashMap<>();
    for (SliceStore.Row row : mine) {
      moves.stream()
          .filter(move -> move.slice() == row.slice())
          .forEach(move -> leaving.put(row.owned(), move.to()));
    }
    keep(List.copyOf(leaving.keySet()), askedAt + settings.trust().toNanos());
    handOver(leaving);
    take(plan.takes(node.id()), vacant);
    pause = pauseAfter(rows, vacant, moves);
    count();
  }

  /** Counts the schedules of a part of the own slices: to count all at once takes seconds. */
  private void count() {
    int part = round % COUNTING_ROUNDS;
    Map<Integer, SliceStore.Row> due =
        mine.stream()
            .filter(row -> row.slice() % COUNTING_ROUNDS == part)
            .collect(toMap(SliceStore.Row::slice, row -> row));
    Map<Integer, Counts> found = due.isEmpty() ? Map.of() : store.count(due.keySet());
    paused.keySet().retainAll(mine.stream().map(SliceStore.Row::slice).toList());
    due.forEach(
        (slice, row) -> {
          Counts counts = found.getOrDefault(slice, Counts.NONE);
          paused.put(slice, counts.paused());
          if (counts.active() != row.schedules() || counts.load() != row.load()) {
            store.save(row, counts);
          }
        });
  }

  /** The time until the next round. */
  Duration pause() {
    return pause;
  }

  private Duration pauseAfter(
      List<SliceStore.Row> rows, Set<SliceStore.Row> vacant, List<SlicePlan.Move> moves) {
    boolean isAboutToOwn =
        unowned > 0 && weight() > 0 || moves.stream().anyMatch(m -> m.to().equals(node.id()));
    long regular = (isAboutToOwn ? SHORT_ROUND : ROUND).toMillis();
    return Duration.ofMillis(
        rows.stream()
            .filter(row -> !vacant.contains(row) && !row.owner().equals(node.id()))
            .mapToLong(row -> row.leaseMs() + AFTER_A_LEASE.toMillis())
            .reduce(regular, Math::min));
  }

  /** Nothing is to be fired: the leases run out by themselves. */
  private void rest() {
    isActive = false;
    held.set(List.of(), List.of(), 0);
    mine = List.of();
    paused.clear();
    unowned = 0;
    busyShare = 0;
  }

  private void begin(long askedAt) {
    if (!isActive) {
      unchangedSince.clear();
      vacantBefore.clear();
      isMoving = false;
      round = 0;
      busyMeasuredAt = askedAt;
      held.takeUsedNanos();
      isActive = true;
    }
    measureBusy(askedAt);
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
  private Set<SliceStore.Row> vacant(List<SliceStore.Row> rows, long askedAt) {
    long readAt = node.nanoTime();
    Set<SliceStore.Row> vacant = new LinkedHashSet<>();
    Set<Lease> leases = new HashSet<>();
    for (SliceStore.Row row : rows) {
      Lease lease = new Lease(row.owned(), row.leaseEnd());
      leases.add(lease);
      long unchanged = askedAt - unchangedSince.computeIfAbsent(lease, l -> readAt);
      if (row.isOver() || unchanged >= settings.lease().toNanos()) {
        vacant.add(row);
      }
    }
    unchangedSince.keySet().retainAll(leases);
    return vacant;
  }

  /**
   * The plan of this round; it plans nothing if it does not know the servers.
   *
   * @param isNeeded whether to read which servers are alive
   */
  private SlicePlan plan(List<SliceStore.Row> rows, Set<SliceStore.Row> vacant, boolean isNeeded) {
    Map<String, Integer> weights = new HashMap<>();
    if (isNeeded) {
      servers.apply(ALIVE).forEach(server -> weights.put(server.node(), server.weight()));
      weights.put(node.id(), weight());
    }
    List<SlicePlan.Slice> slices =
        rows.stream()
            .map(row -> row.toPlan(vacant.contains(row), vacantBefore.contains(row.owned())))
            .toList();
    vacantBefore.clear();
    vacant.forEach(row -> vacantBefore.add(row.owned()));
    return new SlicePlan(weights, slices);
  }

  /** Goes on with what is still its own, and drops the rest at once. */
  private void keep(List<OwnedSlice> leaving, long trustedUntil) {
    List<OwnedSlice> before = held.owned();
    List<OwnedSlice> now = mine.stream().map(SliceStore.Row::owned).toList();
    held.set(now, leaving, trustedUntil);
    long gained = now.stream().filter(slice -> !before.contains(slice)).count();
    long lost = before.stream().filter(slice -> !now.contains(slice)).count();
    if (gained > 0) {
      isMoving = true; // more may follow soon
      taken("handed", gained);
      log.info("was handed {} slices of the schedules, owns {} now", gained, now.size());
    }
    if (lost > 0) {
      log.warn("lost {} slices of the schedules to other servers, owns {}", lost, now.size());
    }
  }

  private void taken(String how, long slices) {
    Counter.builder("asyncflow.schedule.slices.takes")
        .description("slices of the schedules that this server got")
        .tag("how", how)
        .register(meters)
        .increment(slices);
  }

  /** A slice in use is handed over in a later round; no later use includes it. */
  private void handOver(Map<OwnedSlice, String> leaving) {
    int given = 0;
    for (Map.Entry<OwnedSlice, String> move : leaving.entrySet()) {
      OwnedSlice slice = move.getKey();
      if (!held.isInUse(slice)
          && store.handOver(slice, node.id(), move.getValue(), settings.lease())) {
        held.drop(slice);
        given++;
      }
    }
    if (given > 0) {
      log.info("handed over {} slices of the schedules, owns {} now", given, held.owned().size());
    }
  }

  private void take(List<Integer> planned, Set<SliceStore.Row> vacant) {
    int taken = 0;
    for (SliceStore.Row row : vacant) {
      if (planned.contains(row.slice())
          && store.take(row, node.id(), !row.isOver(), settings.lease())) {
        held.add(new OwnedSlice(row.slice(), row.epoch() + 1));
        taken++;
      }
    }
    unowned = vacant.size() - taken;
    if (taken > 0) {
      taken("vacant", taken);
      log.info("took {} vacant slices of the schedules", taken);
    }
  }

  /** Ends the leases, so that other servers need not wait for their ends. */
  @Override
  public void destroy() {
    if (loop != null) {
      loop.close();
    }
    synchronized (this) {
      isStopped = true;
      held.set(List.of(), List.of(), 0);
      if (!isActive) {
        return;
      }
      isActive = false;
      try {
        store.stop(node.id());
      } catch (RuntimeException e) {
        log.info("the slices of the schedules could not be released; their leases will run out");
      }
    }
  }
}
