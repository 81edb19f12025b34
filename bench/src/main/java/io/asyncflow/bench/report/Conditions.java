package io.asyncflow.bench.report;

import com.github.kagkarlsson.scheduler.Scheduler;
import io.asyncflow.bench.bed.TestBed;
import io.asyncflow.bench.bed.Workload;
import io.asyncflow.bench.option.BenchOptions;
import io.asyncflow.bench.option.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jobrunr.scheduling.JobRequestScheduler;

/**
 * What the figures depend on.
 *
 * @param lines name to value, in order
 */
public record Conditions(Map<String, String> lines) {

  private static final List<String> SETTINGS =
      List.of(
          "innodb_flush_log_at_trx_commit",
          "innodb_flush_method",
          "innodb_doublewrite",
          "innodb_buffer_pool_size",
          "log_bin",
          "sync_binlog");

  public static Conditions of(TestBed bed, Checkout checkout, BenchOptions options)
      throws SQLException, IOException {
    Map<String, String> lines = new LinkedHashMap<>();
    lines.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    lines.put("commit", checkout.commit());
    lines.put(
        "flowsvr",
        "jar of "
            + Files.getLastModifiedTime(checkout.serverJar())
                .toInstant()
                .truncatedTo(ChronoUnit.SECONDS)
            + ", "
            + Stream.of(checkout.serverProgram().options(), options.serverJvm())
                .flatMap(List::stream)
                .collect(Collectors.joining(" "))
            + ", no Redis");
    lines.put(
        "JDK", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
    lines.put(
        "machine",
        Runtime.getRuntime().availableProcessors()
            + " cores, "
            + processor()
            + "; client, workers, flowsvr and database share them");
    try (Connection connection = bed.connect()) {
      lines.put("database", bed.database().product() + ", " + version(connection));
      Map<String, String> settings = settings(connection);
      lines.put("durable", isDurable(settings) ? "yes" : "NO: figures mean little");
      lines.put(
          "settings",
          settings.entrySet().stream()
              .map(setting -> setting.getKey() + "=" + setting.getValue())
              .collect(Collectors.joining(", ")));
    }
    lines.put("payload", Workload.CONTEXT_SIZE + " bytes of context");
    lines.put(
        "rounds",
        options.smoke()
            ? "one, cold: these figures mean nothing"
            : options.rounds() + " after a warm-up round that does not count");
    if (options.peers()) {
      lines.put(
          "peers",
          "db-scheduler "
              + versionOf(Scheduler.class)
              + ", JobRunr "
              + versionOf(JobRequestScheduler.class)
              + ", Quartz "
              + versionOf(org.quartz.Scheduler.class)
              + ", all READ COMMITTED through HikariCP");
    }
    return new Conditions(lines);
  }

  /** As the name of its jar has it: not every library tells it otherwise. */
  private static String versionOf(Class<?> library) {
    Path jar = Path.of(library.getProtectionDomain().getCodeSource().getLocation().getPath());
    return jar.getFileName().toString().replaceAll("^\\D+-|\\.jar$", "");
  }

  private static boolean isDurable(Map<String, String> settings) {
    return "1".equals(settings.get("innodb_flush_log_at_trx_commit"))
        && ("OFF".equals(settings.get("log_bin")) || "1".equals(settings.get("sync_binlog")));
  }

  private static String version(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT VERSION()")) {
      rows.next();
      return rows.getString(1);
    }
  }

  private static Map<String, String> settings(Connection connection) throws SQLException {
    String names =
        SETTINGS.stream().map(name -> "'" + name + "'").collect(Collectors.joining(", "));
    Map<String, String> found = new LinkedHashMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SHOW GLOBAL VARIABLES WHERE Variable_name IN (" + names + ")")) {
      while (rows.next()) {
        found.put(rows.getString(1), rows.getString(2));
      }
    }
    return found;
  }

  private static String processor() throws IOException {
    try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).trim())
          .findFirst()
          .orElse("unknown processor");
    }
  }

  public String markdown() {
    return lines.entrySet().stream()
        .map(line -> "- " + line.getKey() + ": " + line.getValue() + "\n")
        .collect(Collectors.joining());
  }
}
