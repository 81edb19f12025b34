package io.asyncflow.flowsvr.schedule.slice;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toMap;

import io.asyncflow.flowsvr.leader.LeaderElection;
import io.asyncflow.flowsvr.number.LiveServers;
import io.asyncflow.flowsvr.number.LiveServers.LiveServer;
import io.asyncflow.flowsvr.number.ServerLoad;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.system.concurrent.BackgroundLoop;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.stereotype.Component;

/**
 * Keeps this server's share of the slices: renews its leases, hands over what it has promised,
 * takes what is vacant, asks for what it lacks. See the package description.
 *
 * <p>While there are no schedules a round sends no statement. Otherwise it sends two, a third that
 * counts the schedules of a few of its slices, and more only when slices change their owners, and
 * every 10 s to see the other servers. The beat of the server's number is one more. A round follows
 * the round before after 3 s, or when a lease of another server ends, and after a second while
 * slices are vacant or promised to this server: so a slice of a server that died has another owner
 * before the fires made ahead run out, and one that is handed over is soon looked at.
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
  private static final Duration BALANCE = Duration.ofSeconds(10);
  private static final Duration BUSY_WINDOW = Duration.ofSeconds(60);

  /** The schedules of each slice are counted once in so many rounds: once in about a minute. */
  private static final int COUNTING_ROUNDS = 16;

  /** A server that was silent for longer gets no slice; three of its beats were missed. */
  static final Duration ALIVE = Duration.ofSeconds(9);

  /** A promise that was not kept for so long is cleared. */
  static final Duration PROMISE = Duration.ofSeconds(15);

  private final SliceStore store;
  private final Function<Duration, List<LiveServer>> servers;
  private final Node node;
  private final SliceSettings settings;
  private final BooleanSupplier inUse;
  private final MeterRegistry meters;
  private final HeldSlices held;
  private final Unchanged rows = new Unchanged();
  private final Unchanged vacancies = new Unchanged();
  private final Unchanged promises = new Unchanged();
  private long balancedAt;
  private boolean isMoving;
  private int countingRound;
  private long busyMeasuredAt;
  private double busyShare;
  private volatile boolean isActive;
  private volatile int unowned;
  private volatile long load;
  private volatile int activeSchedules;
  private volatile int pausedSchedules;

  /** The paused schedules of the own slices, by slice, as of their last count. */
  private final Map<Integer, Integer> pausedBySlice = new HashMap<>();

  private volatile int busy;
  private volatile Duration pause = ROUND;
  private boolean isStopped;
  private BackgroundLoop loop;

  @Autowired
  SliceRounds(
      SliceStore store,
      LiveServers servers,
      Node node,
      SliceSettings settings,
      ObjectProvider<SchedulesInUse> inUse,
      LeaderElection election,
      TaskMeters shown,
      MeterRegistry meters) {
    this(
        store,
        servers::thatBeatWithin,
        node,
        settings,
        () -> inUse.getIfAvailable(() -> () -> false).inUse(),
        meters);
    shown.show("schedule.slices.owned", "slices that this server owns", () -> trusted().size());
    shown.show("schedule.slices.load", "load of the slices that this server owns", () -> load);
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

  /** The active schedules in the slices that this server certainly owns. */
  int activeSchedules() {
    return trusted().isEmpty() ? 0 : activeSchedules;
  }

  /** As {@link #activeSchedules}, the paused ones. */
  int pausedSchedules() {
    return trusted().isEmpty() ? 0 : pausedSchedules;
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
  public long maxLoad() {
    return settings.maxLoad();
  }

  @Override
  public int busy() {
    return busy;
  }

  @Override
  public boolean beatsOften() {
    return isActive;
  }

  /**
   * A slice in this round.
   *
   * @param isWatchedOut whether its row did not change for a whole lease
   * @param vacantMs how long it has been vacant
   * @param promisedMs how long the promise for it has been the same
   */
  private record Seen(SliceStore.Row row, boolean isWatchedOut, long vacantMs, long promisedMs) {

    boolean isVacant() {
      return isWatchedOut || row.isVacant();
    }

    boolean isPromised() {
      return !row.candidate().isEmpty();
    }

    SlicePlan.Slice toPlan() {
      return new SlicePlan.Slice(
          row.slice(),
          isVacant() ? "" : row.owner(),
          isVacant() ? "" : row.candidate(),
          row.load(),
          vacantMs);
    }
  }

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
    List<SliceStore.Row> read = store.all();
    List<Seen> slices = see(read, askedAt, node.nanoTime());
    List<Seen> mine = slices.stream().filter(s -> s.row().owner().equals(node.id())).toList();
    boolean isBalanceDue = isMoving || askedAt - balancedAt >= BALANCE.toNanos();
    List<SlicePlan.Member> members = List.of();
    if (isBalanceDue
        || mine.stream().anyMatch(Seen::isPromised)
        || slices.stream().anyMatch(Seen::isVacant)) {
      members = members();
    }

    List<Seen> leaving = leaving(mine, members);
    keep(mine, leaving, askedAt + settings.trust().toNanos());
    handOver(leaving);
    SlicePlan plan = new SlicePlan(members, slices.stream().map(Seen::toPlan).toList());
    take(plan, slices);
    if (isBalanceDue) {
      balancedAt = askedAt;
      isMoving = ask(plan, slices);
    }
    pause = pauseAfter(slices);
    refreshLoads(mine);
  }

  /** Counts the schedules of a part of the own slices: to count all at once takes seconds. */
  private void refreshLoads(List<Seen> mine) {
    int part = countingRound++ % COUNTING_ROUNDS;
    List<SliceStore.Row> counted =
        mine.stream().map(Seen::row).filter(row -> row.slice() % COUNTING_ROUNDS == part).toList();
    Map<Integer, Integer> found = store.refreshLoads(counted);
    pausedBySlice.keySet().retainAll(mine.stream().map(slice -> slice.row().slice()).toList());
    counted.forEach(row -> pausedBySlice.put(row.slice(), found.getOrDefault(row.slice(), 0)));
    pausedSchedules = pausedBySlice.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** The time until the next round. */
  Duration pause() {
    return pause;
  }

  private Duration pauseAfter(List<Seen> slices) {
    boolean isAboutToOwn =
        unowned > 0 && weight() > 0 || slices.stream().anyMatch(this::isPromisedHere);
    Duration next = isAboutToOwn ? SHORT_ROUND : ROUND;
    for (Seen slice : slices) {
      if (!slice.isVacant() && !slice.row().owner().equals(node.id())) {
        Duration leaseOver = Duration.ofMillis(slice.row().leaseMs()).plus(AFTER_A_LEASE);
        next = leaseOver.compareTo(next) < 0 ? leaseOver : next;
      }
    }
    return next;
  }

  private boolean isPromisedHere(Seen slice) {
    return slice.row().candidate().equals(node.id());
  }

  /** Nothing is to be fired: the leases run out by themselves. */
  private void rest() {
    isActive = false;
    held.dropAll();
    unowned = 0;
    load = 0;
    activeSchedules = 0;
    pausedSchedules = 0;
    pausedBySlice.clear();
    busy = 0;
  }

  private void begin(long askedAt) {
    if (!isActive) {
      rows.clear();
      vacancies.clear();
      promises.clear();
      balancedAt = askedAt;
      isMoving = false;
      busyMeasuredAt = askedAt;
      busyShare = 0;
      held.takeBusyNanos();
      isActive = true;
    }
    measureBusy(askedAt);
  }

  /** A moving average over about a minute. */
  private void measureBusy(long now) {
    long passed = now - busyMeasuredAt;
    if (passed > 0) {
      double share = Math.min(1, (double) held.takeBusyNanos() / passed);
      busyShare += (share - busyShare) * Math.min(1, (double) passed / BUSY_WINDOW.toNanos());
      busyMeasuredAt = now;
      busy = (int) Math.round(100 * busyShare);
    }
  }

  private List<Seen> see(List<SliceStore.Row> read, long askedAt, long readAt) {
    List<Seen> slices = new ArrayList<>(read.size());
    for (SliceStore.Row row : read) {
      List<Object> lease = List.of(row.owner(), row.epoch(), row.leaseEnd());
      boolean isWatchedOut =
          rows.see(row.slice(), lease, askedAt, readAt) >= settings.lease().toNanos();
      long vacant =
          vacancies.see(
              row.slice(), isWatchedOut || row.isVacant() ? row.epoch() : null, askedAt, readAt);
      long promised =
          promises.see(
              row.slice(),
              row.candidate().isEmpty()
                  ? null
                  : List.of(row.epoch(), row.candidate(), row.candidateTime()),
              askedAt,
              readAt);
      slices.add(
          new Seen(
              row,
              isWatchedOut,
              TimeUnit.NANOSECONDS.toMillis(vacant),
              TimeUnit.NANOSECONDS.toMillis(promised)));
    }
    return slices;
  }

  /** The servers that may own slices now; this one always is among them. */
  private List<SlicePlan.Member> members() {
    List<SlicePlan.Member> members =
        servers.apply(ALIVE).stream()
            .filter(server -> !server.node().equals(node.id()))
            .map(s -> new SlicePlan.Member(s.node(), s.weight(), s.maxLoad()))
            .collect(Collectors.toList());
    members.add(new SlicePlan.Member(node.id(), weight(), maxLoad()));
    return members;
  }

  /** The own slices that shall be handed over now. Clears the promises that cannot be kept. */
  private List<Seen> leaving(List<Seen> mine, List<SlicePlan.Member> members) {
    Set<String> takers =
        members.stream()
            .filter(member -> member.weight() > 0 && !member.node().equals(node.id()))
            .map(SlicePlan.Member::node)
            .collect(Collectors.toSet());
    List<Seen> leaving = new ArrayList<>();
    for (Seen slice : mine) {
      if (slice.isPromised() && slice.promisedMs() >= PROMISE.toMillis()) {
        store.clearPromise(slice.row());
      } else if (slice.isPromised() && takers.contains(slice.row().candidate())) {
        leaving.add(slice);
      }
    }
    return leaving;
  }

  /** Goes on with what is still its own, and drops the rest at once. */
  private void keep(List<Seen> mine, List<Seen> leaving, long trustedUntil) {
    Map<Integer, OwnedSlice> before =
        held.owned().stream().collect(toMap(OwnedSlice::slice, identity()));
    List<OwnedSlice> now = mine.stream().map(slice -> owned(slice.row())).toList();
    held.set(
        now,
        leaving.stream().map(slice -> slice.row().slice()).collect(Collectors.toSet()),
        trustedUntil);
    load = mine.stream().mapToLong(slice -> slice.row().load()).sum();
    activeSchedules = mine.stream().mapToInt(slice -> slice.row().schedules()).sum();

    long gained = now.stream().filter(slice -> !before.containsValue(slice)).count();
    long lost = before.values().stream().filter(slice -> !now.contains(slice)).count();
    if (gained > 0) {
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

  private static OwnedSlice owned(SliceStore.Row row) {
    return new OwnedSlice(row.slice(), row.epoch());
  }

  /** A slice in use is handed over in a later round; no later use includes it. */
  private void handOver(List<Seen> leaving) {
    int given = 0;
    for (Seen slice : leaving) {
      SliceStore.Row row = slice.row();
      if (!held.isInUse(row.slice())
          && store.handOver(owned(row), node.id(), row.candidate(), settings.lease())) {
        held.drop(row.slice());
        given++;
      }
    }
    if (given > 0) {
      log.info("handed over {} slices of the schedules, owns {} now", given, held.owned().size());
    }
  }

  private void take(SlicePlan plan, List<Seen> slices) {
    List<Seen> vacant = slices.stream().filter(Seen::isVacant).toList();
    Map<Integer, Seen> bySlice =
        vacant.stream().collect(toMap(slice -> slice.row().slice(), identity()));
    int taken = 0;
    for (int slice : vacant.isEmpty() ? List.<Integer>of() : plan.takes(node.id())) {
      Seen seen = bySlice.get(slice);
      if (store.take(seen.row(), node.id(), seen.isWatchedOut(), settings.lease())) {
        held.add(new OwnedSlice(slice, seen.row().epoch() + 1));
        taken++;
      }
    }
    unowned = vacant.size() - taken;
    if (taken > 0) {
      taken("vacant", taken);
      log.info("took {} vacant slices of the schedules, owns {}", taken, held.owned().size());
    }
  }

  /**
   * Asks for slices, but not while some are vacant: loads are about to change without any move.
   * Returns whether it asked for one; then it goes on in the next round.
   */
  private boolean ask(SlicePlan plan, List<Seen> slices) {
    if (slices.stream().anyMatch(Seen::isVacant)) {
      return false;
    }
    Map<Integer, Seen> bySlice =
        slices.stream().collect(toMap(slice -> slice.row().slice(), identity()));
    int asked = 0;
    for (SlicePlan.Move move : plan.asks(node.id())) {
      if (store.ask(bySlice.get(move.slice()).row(), node.id())) {
        asked++;
      }
    }
    return asked > 0;
  }

  /** Ends the leases, so that other servers need not wait for their ends. */
  @Override
  public void destroy() {
    if (loop != null) {
      loop.close();
    }
    synchronized (this) {
      isStopped = true;
      held.dropAll();
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
