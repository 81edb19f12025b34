package io.asyncflow.bench.option;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What the bench can measure; {@code --only} picks some of it. In the order of a whole run. */
public enum Part {
  /** What workers cost that have nothing to do; first, when theirs is the only type there is. */
  IDLE,
  /** Many types with parked holds on two servers, which are its own, as is their schema. */
  TYPES,
  /** Ten thousand workers that have nothing to do, on three servers, which are their own, too. */
  WORKERS,
  /** Many schedules, and many that fire on one second, on servers that are their own, too. */
  SCHEDULES,
  /** Tasks created, held and finished. */
  LIVES,
  /** The same with none, some and all of their events written. */
  EVENTS,
  /**
   * Calls with one of a thousand access keys, beside calls with the one key of a server; and the
   * check of a token alone.
   */
  ACCESS,
  /** Tasks created one by one. */
  CREATES,
  /** Tasks created many at a time. */
  BULK,
  /** Tasks that exist already, held and finished. */
  PROCESS,
  /** Throughput with 1, 16 and 64 pollers. */
  POLLERS,
  /** The children of one job beside those of a hundred. */
  JOBS,
  /** From createTask to the start of its handler; late, when flowsvr is warm. */
  LATENCY,
  /** The same under a load that leaves workers idle now and then. */
  STEADY,
  /** Starts of a server, its memory then, and after its first work. */
  START,
  /** A hold of 100 beside many rows and beside an old snapshot; late, since its rows stay. */
  BACKLOG,
  /** The lists over those rows. */
  LISTS,
  /** The pages of the console, and holds beside open ones, on servers that are their own. */
  CONSOLE,
  /** Calls beside the drop of a large table. */
  DROP(true),
  /** What grows under a load that stays the same; last, for it has all that was before. */
  SOAK(true);

  private final boolean once;

  Part() {
    this(false);
  }

  Part(boolean once) {
    this.once = once;
  }

  /** Whether it is one long round, without a warm-up but its own. */
  public boolean once() {
    return once;
  }

  /** As the command line and files call it. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Reads a part. */
  static final class Key implements ITypeConverter<Part> {
    @Override
    public Part convert(String key) {
      return Arrays.stream(values())
          .filter(part -> part.key().equals(key))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "takes some of " + String.join(", ", new Keys()) + ", not " + key));
    }
  }

  /** How they are all called. */
  static final class Keys implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Arrays.stream(values()).map(Part::key).iterator();
    }
  }
}
