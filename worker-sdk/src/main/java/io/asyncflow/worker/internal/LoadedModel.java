package io.asyncflow.worker.internal;

import java.time.Duration;

/**
 * What the last run on a place has loaded there.
 *
 * <p>A model that was used for twenty runs and for ten seconds has had its turn: the others are
 * asked for first, once. By then a load, which takes a second or so, is a small part of what it was
 * good for; and without turns a model of which there is always something due would keep the place
 * for ever.
 *
 * <p>For one thread at a time.
 */
final class LoadedModel {

  /** The name of what is loaded where nothing is. */
  static final String NONE = "";

  private static final int RUNS_A_TURN = 20;
  private static final Duration TURN = Duration.ofSeconds(10);

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
    return !name.equals(NONE) && runs >= RUNS_A_TURN && now - turnBegan >= TURN.toNanos();
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
