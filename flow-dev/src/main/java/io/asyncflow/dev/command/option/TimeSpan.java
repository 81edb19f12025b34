package io.asyncflow.dev.command.option;

import io.asyncflow.dev.text.TimeText;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the value of an option that is a stretch of time, such as {@code 30s} or {@code 2d}. */
public final class TimeSpan implements ITypeConverter<Duration> {

  @Override
  public Duration convert(String text) {
    try {
      Duration span = TimeText.parseDuration(text);
      if (!span.isNegative()) {
        return span;
      }
    } catch (RuntimeException e) {
      // said below
    }
    throw new TypeConversionException("wants a time such as 30s or 2d, not " + text);
  }
}
