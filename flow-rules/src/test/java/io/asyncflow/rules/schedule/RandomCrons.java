package io.asyncflow.rules.schedule;

import java.time.LocalDateTime;
import java.util.List;
import java.util.Random;

/** Random cron expressions of six fields, most of which have something to do at a given time. */
final class RandomCrons {

  private final Random random;

  RandomCrons(long seed) {
    random = new Random(seed);
  }

  /** An expression that fires at full minutes. */
  String minutesNear(LocalDateTime time) {
    return "0 " + hoursAndDaysNear(time);
  }

  /** An expression that fires at any second. */
  String secondsNear(LocalDateTime time) {
    String second =
        oneOf("*", "*/10", "0/7", "59", "0,30", number(60), number(30) + "-" + (30 + below(30)));
    return second + " " + hoursAndDaysNear(time);
  }

  private String hoursAndDaysNear(LocalDateTime time) {
    return minute(time) + " " + hour(time) + " " + days(time);
  }

  private String minute(LocalDateTime time) {
    return switch (below(12)) {
      case 0 -> oneOf("*", "*/2", "*/5");
      case 1 -> oneOf("*/7", "*/15", "*/20", "*/30");
      case 2 -> below(30) + "/" + (10 + below(20));
      case 3 -> below(20) + "-" + (20 + below(10)) + oneOf("", "/3");
      case 4, 5 -> below(30) + "," + (30 + below(30));
      case 6, 7 -> "0";
      case 8 -> Integer.toString(time.getMinute());
      default -> number(60);
    };
  }

  private String hour(LocalDateTime time) {
    int near = (time.getHour() + 22 + below(5)) % 24;
    return switch (below(10)) {
      case 0 -> "*";
      case 1 -> oneOf("*/2", "*/3", "*/12");
      case 2 -> number(24);
      case 3 -> below(8) + "-" + (8 + below(16)) + "/" + (1 + below(4));
      case 4, 5 -> near + "," + number(24);
      case 6 -> Math.max(0, near - 2) + "-" + near;
      default -> Integer.toString(near);
    };
  }

  private String days(LocalDateTime time) {
    int day = time.getDayOfMonth();
    int ofWeek = time.getDayOfWeek().getValue();
    String month = time.getMonth().name().substring(0, 3);
    return switch (below(12)) {
      case 0 -> day + " * ?";
      case 1 -> day + " " + month + " *";
      case 2 -> "* * " + ofWeek;
      case 3 -> "? * " + time.getDayOfWeek().name().substring(0, 3) + "," + (1 + below(7));
      case 4 -> oneOf("L", "LW", "L-" + below(31), "1,L", (1 + below(31)) + "W") + " * *";
      case 5 -> "* * " + ofWeek + oneOf("L", "#1", "#2", "#4");
      case 6 -> oneOf("*/2 * *", "* * */2", "* * */3");
      case 7 -> "* " + month + " MON-SAT";
      default -> "* * *";
    };
  }

  private String number(int bound) {
    return Integer.toString(below(bound));
  }

  private int below(int bound) {
    return random.nextInt(bound);
  }

  private String oneOf(String... choices) {
    return List.of(choices).get(below(choices.length));
  }
}
