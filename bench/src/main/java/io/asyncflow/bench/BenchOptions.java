package io.asyncflow.bench;

import io.asyncflow.bench.BenchDatabase.Engine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the command line asks for.
 *
 * @param n whole lives a round; half as many single creates, and a hundredth (10 to 200) of
 *     arrivals
 * @param rounds rounds that count, after the warm-up
 * @param contests which ones to hold
 * @param mysqlUrl of a database that was given; {@code null} for an embedded one
 * @param serverJvm options for flowsvr's JVM beside its usual ones, as a flight recording
 * @param report the Markdown file to write; {@code null} for {@code bench/target/bench.md}
 */
record BenchOptions(
    int n,
    int rounds,
    Set<String> contests,
    Engine engine,
    String mysqlUrl,
    String mysqlUser,
    String mysqlPassword,
    List<String> serverJvm,
    Path report) {

  static final String USAGE =
      """
      Usage: ./asyncflow bench [--n N] [--rounds R] [--only lives,creates,latency]
                               [--mysql8 | --mysql URL] [--server-jvm OPTIONS] [--report FILE]

        --n N           whole lives a round (20000); the other contests follow from it
        --rounds R      rounds that count, after a warm-up round (3)
        --only LIST     some of the contests lives, creates and latency
        --mysql8        the embedded MySQL 8.0.33 instead of the embedded MariaDB
        --mysql URL     a database of yours (FLOW_MYSQL_USER, FLOW_MYSQL_PASSWORD): a schema of the
                        bench's own is made there, and dropped at the end
        --server-jvm O  more options for flowsvr's JVM, separated by spaces
        --report FILE   where the report goes as Markdown (bench/target/bench.md)
      """;

  static final String LIVES = "lives";
  static final String CREATES = "creates";
  static final String LATENCY = "latency";

  private static final Set<String> CONTESTS = Set.of(LIVES, CREATES, LATENCY);

  BenchOptions {
    contests = Set.copyOf(contests);
    serverJvm = List.copyOf(serverJvm);
  }

  int lives() {
    return n;
  }

  int creates() {
    return Math.max(1, n / 2);
  }

  int arrivals() {
    return Math.min(200, Math.max(10, n / 100));
  }

  /**
   * @throws UsageException in one sentence
   */
  static BenchOptions parse(List<String> arguments, Map<String, String> environment) {
    int n = 20_000;
    int rounds = 3;
    Set<String> contests = CONTESTS;
    Engine engine = Engine.MARIADB;
    String url = null;
    List<String> serverJvm = new ArrayList<>();
    Path report = null;
    Iterator<String> rest = arguments.iterator();
    while (rest.hasNext()) {
      String option = rest.next();
      switch (option) {
        case "--n" -> n = number(option, rest);
        case "--rounds" -> rounds = number(option, rest);
        case "--only" -> contests = contests(value(option, rest));
        case "--mysql8" -> engine = Engine.MYSQL8;
        case "--mysql" -> {
          engine = Engine.GIVEN;
          url = value(option, rest);
        }
        case "--server-jvm" -> serverJvm.addAll(List.of(value(option, rest).trim().split("\\s+")));
        case "--report" -> report = Path.of(value(option, rest)).toAbsolutePath();
        default -> throw new UsageException("bench does not know " + option + ".\n" + USAGE);
      }
    }
    return new BenchOptions(
        n,
        rounds,
        contests,
        engine,
        url,
        environment.getOrDefault("FLOW_MYSQL_USER", "root"),
        environment.getOrDefault("FLOW_MYSQL_PASSWORD", ""),
        serverJvm,
        report);
  }

  private static Set<String> contests(String list) {
    Set<String> wanted = new LinkedHashSet<>(List.of(list.split(",")));
    if (!CONTESTS.containsAll(wanted)) {
      throw new UsageException("--only takes lives, creates and latency, not " + list + ".");
    }
    return wanted;
  }

  private static int number(String option, Iterator<String> rest) {
    String text = value(option, rest);
    if (!text.matches("[1-9]\\d{0,7}")) {
      throw new UsageException(option + " wants a whole number from 1, not " + text + ".");
    }
    return Integer.parseInt(text);
  }

  private static String value(String option, Iterator<String> rest) {
    if (!rest.hasNext()) {
      throw new UsageException(option + " wants a value.");
    }
    return rest.next();
  }
}
