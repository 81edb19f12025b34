package io.asyncflow.bench.option;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the command line asks for.
 *
 * @param n whole lives a round; everything else follows from it
 * @param rounds rounds that count, after the warm-up
 * @param parts what to measure, in order
 * @param peers whether db-scheduler and JobRunr take part
 * @param backlog rows of the largest table
 * @param minutes how long the soak lasts
 * @param smoke whether it is only to be seen that everything works
 * @param mysqlUrl of a database that was given; {@code null} for an embedded one
 * @param serverJvm options for flowsvr's JVM beside its usual ones, as a flight recording
 * @param report the Markdown file to write; {@code null} for {@code bench/target/bench.md}
 */
public record BenchOptions(
    int n,
    int rounds,
    List<Part> parts,
    boolean peers,
    int backlog,
    int minutes,
    boolean smoke,
    DatabaseChoice database,
    String mysqlUrl,
    String mysqlUser,
    String mysqlPassword,
    List<String> serverJvm,
    Path report) {

  private static final Pattern ROWS = Pattern.compile("([1-9]\\d{0,7})([kM]?)");
  private static final long MOST_ROWS = 100_000_000;

  public static final String USAGE =
      """
      Usage: ./asyncflow bench [--peers] [--n N] [--rounds R] [--only LIST] [--backlog ROWS]
                               [--minutes M] [--smoke] [--mariadb | --mysql URL] [--server-jvm OPTIONS]
                               [--report FILE]

        --peers         db-scheduler and JobRunr take part, in the same rounds
        --n N           whole lives a round (50000); the other parts follow from it
        --rounds R      rounds that count, after a warm-up round (3)
        --only LIST     some of the parts
                        PARTS
        --backlog ROWS  rows of the largest table (2M); 10k, 2M and 10M are understood
        --minutes M     how long the soak lasts (2)
        --smoke         everything once and with next to nothing, to see that it works
        --mariadb       the embedded MariaDB without a binary log, which needs no library of the
                        system, instead of the embedded MySQL 8.0.33 with one
        --mysql URL     a database of yours (FLOW_MYSQL_USER, FLOW_MYSQL_PASSWORD): a schema of the
                        bench's own is made there, and dropped at the end
        --server-jvm O  more options for flowsvr's JVM, separated by spaces
        --report FILE   where the report goes as Markdown (bench/target/bench.md), and its charts
      """
          .replace("PARTS", Part.keys());

  public BenchOptions {
    parts = List.copyOf(parts);
    serverJvm = List.copyOf(serverJvm);
  }

  public int lives() {
    return n;
  }

  public int creates() {
    return Math.max(1, n / 2);
  }

  public int arrivals() {
    return Math.min(100, Math.max(5, n / 200));
  }

  public int holds() {
    return Math.min(150, Math.max(5, n / 100));
  }

  /** How long an old snapshot is open. */
  public Duration snapshot() {
    return Duration.ofMillis(Math.min(15_000, n));
  }

  /** How long the load of the soak lasts. */
  public Duration soak() {
    return smoke ? Duration.ofSeconds(3) : Duration.ofMinutes(minutes);
  }

  /** How long calls are measured before a table is dropped beside them. */
  public Duration beforeDrop() {
    return Duration.ofMillis(Math.min(20_000, Math.max(1_000, n)));
  }

  public int idleWorkers() {
    return Math.min(200, Math.max(5, n / 100));
  }

  public int idleSeconds() {
    return Math.min(20, Math.max(1, n / 1000));
  }

  /** Types that holds are parked for. */
  public int types() {
    return Math.min(200, Math.max(5, n / 250));
  }

  /** Types of which a task is created on one server and started on another. */
  public int typeStarts() {
    return Math.min(50, types());
  }

  /** How long a hold is parked before it is answered: for a worker, a type's default of 10 s. */
  public Duration typeWait() {
    return Duration.ofMillis(Math.min(10_000, Math.max(1_000, n / 5)));
  }

  /** What makes the JVMs compile the way of a call. */
  public int idleWarmUpTasks() {
    return Math.min(20_000, n);
  }

  /** And then what an idle one does besides, now and then. */
  public int idleWarmUpSeconds() {
    return 6 * idleSeconds();
  }

  /**
   * @throws UsageException in one sentence
   */
  public static BenchOptions parse(List<String> arguments, Map<String, String> environment) {
    int n = 50_000;
    int rounds = 3;
    List<Part> parts = List.of(Part.values());
    boolean peers = false;
    int backlog = 2_000_000;
    int minutes = 2;
    boolean smoke = false;
    DatabaseChoice database = DatabaseChoice.MYSQL8;
    String url = null;
    List<String> serverJvm = new ArrayList<>();
    Path report = null;
    Iterator<String> rest = arguments.iterator();
    while (rest.hasNext()) {
      String option = rest.next();
      switch (option) {
        case "--peers" -> peers = true;
        case "--n" -> n = number(option, value(option, rest));
        case "--rounds" -> rounds = number(option, value(option, rest));
        case "--only" -> parts = parts(value(option, rest));
        case "--backlog" -> backlog = rows(option, value(option, rest));
        case "--minutes" -> minutes = number(option, value(option, rest));
        case "--smoke" -> {
          smoke = true;
          n = 100;
          rounds = 1;
          backlog = 2_000;
        }
        case "--mariadb" -> database = DatabaseChoice.MARIADB;
        case "--mysql" -> {
          database = DatabaseChoice.GIVEN;
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
        parts,
        peers,
        backlog,
        minutes,
        smoke,
        database,
        url,
        environment.getOrDefault("FLOW_MYSQL_USER", "root"),
        environment.getOrDefault("FLOW_MYSQL_PASSWORD", ""),
        serverJvm,
        report);
  }

  private static List<Part> parts(String list) {
    Set<Part> wanted = EnumSet.noneOf(Part.class);
    for (String key : list.split(",")) {
      wanted.add(
          Part.of(key)
              .orElseThrow(
                  () ->
                      new UsageException(
                          "--only takes some of " + Part.keys() + ", not " + key + ".")));
    }
    return List.copyOf(wanted);
  }

  private static int rows(String option, String text) {
    Matcher matcher = ROWS.matcher(text);
    if (!matcher.matches()) {
      throw new UsageException(option + " wants a number of rows such as 2M, not " + text + ".");
    }
    long unit =
        switch (matcher.group(2)) {
          case "k" -> 1_000;
          case "M" -> 1_000_000;
          default -> 1;
        };
    return (int) Math.min(MOST_ROWS, Long.parseLong(matcher.group(1)) * unit);
  }

  private static int number(String option, String text) {
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
