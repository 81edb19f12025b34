package io.asyncflow.dev.command.option;

import io.asyncflow.dev.text.TimeText;
import java.io.PrintStream;
import java.time.ZoneId;
import java.util.Map;

/**
 * Where a command is called.
 *
 * @param out where it prints
 * @param err where it says what is not part of its answer
 * @param zone of its user
 */
public record Terminal(
    Map<String, String> environment, PrintStream out, PrintStream err, ZoneId zone) {

  TimeText times() {
    return new TimeText(zone);
  }
}
