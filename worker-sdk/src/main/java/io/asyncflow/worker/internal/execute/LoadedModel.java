package io.asyncflow.worker.internal.execute;

import java.time.Duration;

/**
 * What the last run on a place has loaded there.
 *
 * <p>A model that was used for twenty runs and for ten seconds, or for a minute however few its
 * runs, has had its turn: the others are asked for first, once. By then a load, which takes a few
 * seconds, is a small part of what it was good for; and without turns a model of which there is
 * always something due would keep the place for ever. No run is cut short for it.
 *
 * <p>For one thread at a time.
 */
public final class LoadedModel {

  /** The name of what is loaded where nothing is. */
  public static final String NONE = "";

  private static final int RUNS_A_TURN = 20;
  private static final Duration SHORTEST_TURN = Duration.ofSeconds(10);
  private static final Duration LONGEST_TURN = Duration.ofMinutes(1);

  private String name = NONE;
  private int runs;
  private long turnBegan;
  private long usedAt;

  String name() {
    return name;
  }

  /** When the last run began that uses it. */
  long usedAt() {
    return usedAt;
  }

  /** A run begins that loads such a model, unless it is there. */
  void use(String model, long now) {
    if (!model.equals(name)) {
      name = model;
      beginTurn(now);
    }
    runs++;
    usedAt = now;
  }

  boolean hasHadItsTurn(long now) {
    if (name.equals(NONE) || runs == 0) {
      return false;
    }
    Duration turn = runs >= RUNS_A_TURN ? SHORTEST_TURN : LONGEST_TURN;
    return now - turnBegan >= turn.toNanos();
  }

  void beginTurn(long now) {
    runs = 0;
    turnBegan = now;
  }

  /** What has loaded it is not there any more. */
  void forget() {
    name = NONE;
  }
}
