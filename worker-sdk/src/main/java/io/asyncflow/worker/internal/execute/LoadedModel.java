package io.asyncflow.worker.internal.execute;

import java.time.Duration;

/**
 * The model that the last run on a place has loaded there.
 *
 * <p>A model that was used for twenty runs and ten seconds, or for a minute with fewer runs, has
 * had its turn: tasks of other models are asked for first, once. By then the load time of a few
 * seconds is a small part of its use. Without turns, a model with a permanent backlog would keep
 * the place for ever. No run is interrupted for a turn.
 *
 * <p>Not thread-safe.
 */
public final class LoadedModel {

  /** The name for no model. */
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

  /** The start of the last run that used the model. */
  long usedAt() {
    return usedAt;
  }

  /** A run with this model begins; it loads the model unless it is loaded. */
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

  /** The process that had loaded the model has ended. */
  void forget() {
    name = NONE;
  }
}
