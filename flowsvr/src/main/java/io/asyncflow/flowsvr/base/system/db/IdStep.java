package io.asyncflow.flowsvr.base.system.db;

/**
 * The ids that AUTO_INCREMENT gives out: every {@code increment}-th one. Ids between them are never
 * used.
 */
public record IdStep(long increment, long offset) {

  /** Every id. */
  public static final IdStep ONE = new IdStep(1, 1);

  /** Databases ignore an offset above the increment, each in its way: then each id may be used. */
  public IdStep {
    if (increment <= 1 || offset < 1 || offset > increment) {
      increment = 1;
      offset = 1;
    }
  }

  /** As the servers tell it each other. */
  public String text() {
    return increment + ":" + offset;
  }

  public boolean reaches(long id) {
    return floor(id) == id;
  }

  /** The highest id of the step up to this one. */
  public long floor(long id) {
    return id - Math.floorMod(id - offset, increment);
  }

  /** The lowest id of the step from this one on. */
  public long ceiling(long id) {
    return floor(id + increment - 1);
  }
}
