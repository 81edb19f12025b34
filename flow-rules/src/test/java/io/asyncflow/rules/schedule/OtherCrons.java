package io.asyncflow.rules.schedule;

import com.cronutils.model.Cron;
import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import java.text.ParseException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TimeZone;
import java.util.function.LongFunction;
import java.util.regex.Pattern;
import org.quartz.CronExpression;

/** What others make of a cron expression: {@code next} of each, in epoch ms. */
enum OtherCrons {
  QUARTZ("quartz") {
    @Override
    LongFunction<OptionalLong> next(String[] fields, ZoneId zone) throws ParseException {
      String[] own = fields.clone();
      if (fields.length == 5) { // of Unix, where Sunday is 0
        own[4] = DAY.matcher(fields[4]).replaceAll(day -> DAYS.get(Integer.parseInt(day.group())));
        own = ("0 " + String.join(" ", own)).split(" ");
      }
      if (own[5].equals("*")) { // one of the days must be a question mark
        own[5] = own[3].equals("?") ? "*" : "?";
      } else if (own[3].equals("*") && !own[5].equals("?")) {
        own[3] = "?";
      }
      CronExpression cron = new CronExpression(String.join(" ", own));
      cron.setTimeZone(TimeZone.getTimeZone(zone));
      return after -> {
        Date next = cron.getNextValidTimeAfter(new Date(after));
        return next == null ? OptionalLong.empty() : OptionalLong.of(next.getTime());
      };
    }
  },

  CRON_UTILS("cron-utils") {
    @Override
    LongFunction<OptionalLong> next(String[] fields, ZoneId zone) {
      boolean isUnix = fields.length == 5 && !UNKNOWN_TO_UNIX.matcher(fields[2] + fields[4]).find();
      String own = String.join(" ", fields).replaceFirst("^((\\S+ ){5}\\S+) [*?]$", "$1");
      String text = (fields.length == 5 && !isUnix ? "0 " : "") + own;
      CronType type = isUnix ? CronType.UNIX : CronType.SPRING53;
      Cron cron = new CronParser(CronDefinitionBuilder.instanceDefinitionFor(type)).parse(text);
      ExecutionTime times = ExecutionTime.forCron(cron);
      return after ->
          times
              .nextExecution(Instant.ofEpochMilli(after).atZone(zone))
              .map(next -> OptionalLong.of(next.toInstant().toEpochMilli()))
              .orElse(OptionalLong.empty());
    }
  };

  private static final List<String> DAYS =
      List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN");

  /** A number of the day of week, and no step or week. */
  private static final Pattern DAY = Pattern.compile("(?<![/#0-9])[0-7](?![0-9])");

  private static final Pattern UNKNOWN_TO_UNIX = Pattern.compile("[?LlWw#]");

  /** As the table of differences has it. */
  final String title;

  OtherCrons(String title) {
    this.title = title;
  }

  abstract LongFunction<OptionalLong> next(String[] fields, ZoneId zone) throws ParseException;

  /** Finds the next time, or none where it fails; nothing if the expression is refused. */
  Optional<LongFunction<OptionalLong>> read(String expression, ZoneId zone) {
    try {
      LongFunction<OptionalLong> next = next(expression.split(" "), zone);
      return Optional.of(after -> orNone(next, after));
    } catch (ParseException | RuntimeException e) {
      return Optional.empty();
    }
  }

  private static OptionalLong orNone(LongFunction<OptionalLong> next, long after) {
    try {
      return next.apply(after);
    } catch (RuntimeException e) {
      return OptionalLong.empty();
    }
  }
}
