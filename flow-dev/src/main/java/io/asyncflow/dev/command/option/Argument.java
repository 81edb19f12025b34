package io.asyncflow.dev.command.option;

import io.asyncflow.dev.text.TimeText;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * An option or a parameter. Several commands may take it; {@link Run#get} has its value.
 *
 * @param name of the option, or the label of the parameter
 * @param builder makes it for one command, whose times are written so
 * @param absent the value where it is not given
 */
public record Argument<T>(String name, Function<TimeText, OptionSpec.Builder> builder, T absent) {

  private <R> Argument<R> with(UnaryOperator<OptionSpec.Builder> change, R whenAbsent) {
    return new Argument<>(name, times -> change.apply(builder.apply(times)), whenAbsent);
  }

  public Argument<T> required() {
    return with(builder -> builder.required(true), absent);
  }

  /** A parameter that may be left out. */
  public Argument<T> optional() {
    return with(builder -> builder.arity("0..1"), absent);
  }

  public Argument<T> byDefault(String text) {
    return with(builder -> builder.defaultValue(text), absent);
  }

  /** Names the values that it may have, in its help and where a shell completes it. */
  public Argument<T> among(List<String> values) {
    return with(builder -> builder.completionCandidates(values), absent);
  }

  /** A value of this type, as picocli reads it. */
  public <R> Argument<R> as(Class<R> type) {
    return with(builder -> builder.type(type), null);
  }

  /** A value of this type, read from its text; the times of the text are written so. */
  public <R> Argument<R> as(Class<R> type, BiFunction<String, TimeText, R> reader) {
    return new Argument<>(
        name,
        times -> {
          ITypeConverter<R> converter = text -> reader.apply(text, times);
          return builder.apply(times).type(type).converters(converter);
        },
        null);
  }

  public Argument<Integer> number(int from, int to) {
    return as(Integer.class, (text, times) -> WholeNumber.parse(text, from, to));
  }

  /** A stretch of time, such as {@code 30s} or {@code 2d}. */
  public Argument<Duration> span() {
    return span("a time such as 30s or 2d");
  }

  /** As {@link #span()}, which the message for another text calls so. */
  public Argument<Duration> span(String wanted) {
    return as(Duration.class, (text, times) -> spanOf(text, wanted));
  }

  private static Duration spanOf(String text, String wanted) {
    try {
      Duration span = TimeText.parseDuration(text);
      if (!span.isNegative()) {
        return span;
      }
    } catch (DateTimeException e) {
      // said below
    }
    throw new TypeConversionException("wants " + wanted + ", not " + text);
  }

  /** A time, in the zone of the machine unless it names another one. */
  public Argument<Instant> time() {
    return as(
        Instant.class,
        (text, times) -> {
          try {
            return times.parse(text);
          } catch (DateTimeException e) {
            throw new TypeConversionException("wants a time such as 2026-11-23T03:00, not " + text);
          }
        });
  }

  /** Values with commas between them, in the order in which they are given. */
  public Argument<List<String>> list() {
    return with(
        builder -> builder.type(List.class).auxiliaryTypes(String.class).splitRegex(","),
        List.of());
  }

  /** Different values of a type, with commas between them. */
  public <R> Argument<Set<R>> set(Class<R> type) {
    return with(builder -> builder.type(Set.class).auxiliaryTypes(type).splitRegex(","), Set.of());
  }

  /** All parameters from its place on, one at least. */
  public Argument<List<String>> rest() {
    return with(
        builder -> builder.type(List.class).auxiliaryTypes(String.class).arity("1..*"), List.of());
  }

  /** Names with a sign and a value, from its place on; none is a possibility. */
  public Argument<Map<String, String>> map() {
    return with(
        builder -> builder.type(Map.class).auxiliaryTypes(String.class, String.class).arity("0..*"),
        Map.of());
  }

  void addTo(CommandSpec command, TimeText times) {
    OptionSpec made = builder.apply(times).build();
    command.add(
        name.startsWith("-") ? made : parameter(made, command.positionalParameters().size()));
  }

  /** The same as a parameter, which takes what its place and those behind it have. */
  private static ArgSpec parameter(OptionSpec like, int place) {
    return PositionalParamSpec.builder()
        .index(like.arity().max() > 1 ? place + "..*" : Integer.toString(place))
        .paramLabel(like.paramLabel())
        .description(like.description())
        .arity(like.arity().toString())
        .required(like.arity().min() > 0)
        .type(like.type())
        .auxiliaryTypes(like.auxiliaryTypes())
        .converters(like.converters())
        .splitRegex(like.splitRegex())
        .build();
  }

  @SuppressWarnings("unchecked") // its builder says the type
  T in(CommandSpec command) {
    Object value =
        command.args().stream()
            .filter(argument -> name.equals(nameOf(argument)))
            .findFirst()
            .orElseThrow()
            .getValue();
    return value == null ? absent : (T) value;
  }

  boolean isIn(CommandSpec command) {
    return command.args().stream().anyMatch(argument -> name.equals(nameOf(argument)));
  }

  private static String nameOf(ArgSpec argument) {
    return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
  }
}
