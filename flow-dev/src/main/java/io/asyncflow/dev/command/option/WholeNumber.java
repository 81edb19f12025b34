package io.asyncflow.dev.command.option;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the value of an option that is a number of a range. */
public abstract class WholeNumber implements ITypeConverter<Integer> {
  static final int MOST = 100_000_000;

  private final int from;
  private final int to;

  private WholeNumber(int from, int to) {
    this.from = from;
    this.to = to;
  }

  @Override
  public Integer convert(String text) {
    return parse(text, from, to);
  }

  static Integer parse(String text, int from, int to) {
    if (!text.matches("\\d{1,9}") || Integer.parseInt(text) < from || Integer.parseInt(text) > to) {
      throw new TypeConversionException(
          "wants a whole number from " + from + " to " + to + ", not " + text);
    }
    return Integer.parseInt(text);
  }

  /** From 0 to 100 million. */
  public static final class FromZero extends WholeNumber {
    FromZero() {
      super(0, MOST);
    }
  }

  /** From 1 to 100 million. */
  public static final class FromOne extends WholeNumber {
    FromOne() {
      super(1, MOST);
    }
  }

  /** The number of a TCP port. */
  public static final class Port extends WholeNumber {
    Port() {
      super(1, 65_535);
    }
  }
}
