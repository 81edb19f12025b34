package io.asyncflow.systemtest.chaos;

import io.asyncflow.systemtest.chaos.Disaster.Blow;
import io.asyncflow.systemtest.chaos.Disaster.Target;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.Window;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Breaks one thing after the other and mends each; the next may break before the last is well.
 *
 * <p>What it breaks, when and for how long depends on the seed alone; what that hits does not. Each
 * kind of disaster comes once before any comes again, so a short run has them all.
 */
final class Nemesis implements ChaosRun.Breaker {

  private static final Duration SHORTEST = Duration.ofMillis(500);
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private final ChaosPlan plan;
  private final List<Scenario> scenarios;
  private final Map<Target, List<Victim>> victims;
  private final Consumer<String> narrator;
  private final Random random;
  private final Deque<Disaster> deck = new ArrayDeque<>();
  private final CountDownLatch enough = new CountDownLatch(1);
  private final Map<Disaster, Integer> done = new EnumMap<>(Disaster.class);
  private final Set<Victim> suffering = ConcurrentHashMap.newKeySet();

  /**
   * @param scenarios whose histories say what was broken
   * @param victims at least one of each kind that is to be hurt
   * @param narrator told of each disaster in a few words when it begins
   */
  Nemesis(
      ChaosPlan plan,
      List<Scenario> scenarios,
      Map<Target, List<Victim>> victims,
      Consumer<String> narrator) {
    this.plan = plan;
    this.scenarios = scenarios;
    this.victims = victims;
    this.narrator = narrator;
    this.random = new Random(plan.seed());
  }

  /** Nothing more is broken; {@link #run} ends when what is broken is well. */
  @Override
  public void stop() {
    enough.countDown();
  }

  @Override
  public Map<Disaster, Integer> done() {
    return done;
  }

  @Override
  public int failures() {
    return victims.values().stream().flatMap(List::stream).mapToInt(Victim::failures).sum();
  }

  @Override
  public void run() {
    ExecutorService threads = Executors.newCachedThreadPool();
    List<CompletableFuture<Void>> strikes = new ArrayList<>();
    try {
      while (!waited(between(plan.calmAtLeast(), plan.calmAtMost()))) {
        Disaster disaster = draw();
        List<Victim> candidates = victims.get(disaster.target());
        Victim victim = candidates.get(random.nextInt(candidates.size()));
        Duration time = between(SHORTEST, LONGEST);
        if (suffering.add(victim)) {
          done.merge(disaster, 1, Integer::sum);
          strikes.add(
              CompletableFuture.runAsync(() -> strike(disaster.blow(), victim, time), threads));
        }
      }
      strikes.forEach(CompletableFuture::join);
    } finally {
      threads.shutdownNow();
    }
  }

  private Disaster draw() {
    if (deck.isEmpty()) {
      List<Disaster> all =
          new ArrayList<>(
              Stream.of(Disaster.values())
                  .filter(one -> victims.containsKey(one.target()))
                  .toList());
      Collections.shuffle(all, random);
      deck.addAll(all);
    }
    return deck.remove();
  }

  private void strike(Blow blow, Victim victim, Duration time) {
    String what =
        blow.name().toLowerCase(Locale.ROOT)
            + " "
            + victim.name()
            + (blow == Blow.RUN ? "" : " for " + time.toMillis() + " ms");
    narrator.accept(what);
    Runnable harm = () -> hurt(blow, victim, time);
    for (Scenario scenario : scenarios) {
      Runnable inner = harm;
      harm = () -> scenario.fault(what, victim.sufferers(), inner);
    }
    harm.run();
    suffering.remove(victim);
  }

  private static void hurt(Blow blow, Victim victim, Duration time) {
    victim.strike(blow);
    if (blow != Blow.RUN) { // which takes its own time
      Window.pass(time);
    }
    victim.heal(blow);
  }

  private Duration between(Duration least, Duration most) {
    return least.plusMillis(random.nextLong(most.minus(least).toMillis() + 1));
  }

  /** {@code true} if it is enough. */
  private boolean waited(Duration time) {
    try {
      return enough.await(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
