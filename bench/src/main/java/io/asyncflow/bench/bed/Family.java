package io.asyncflow.bench.bed;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The tables of a type, and the days that pass for them. */
public final class Family {

  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final long DAY_MS = TimeUnit.DAYS.toMillis(1);

  private final TestBed bed;
  private final String type;

  public Family(TestBed bed, String type) {
    this.bed = bed;
    this.type = type;
  }

  /**
   * Which tables there are.
   *
   * @param first that is not given up
   * @param begin the first that may have anything unfinished
   * @param end where new tasks go
   */
  public record Position(int first, int begin, int end) {}

  public Position position() throws SQLException {
    try (Connection connection = bed.connect();
        PreparedStatement statement =
            connection.prepareStatement(
                """
                SELECT schedule_first_pos, schedule_begin_pos, schedule_end_pos
                FROM t_schedule_pos
                WHERE task_type = ?
                """)) {
      statement.setString(1, type);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return new Position(row.getInt(1), row.getInt(2), row.getInt(3));
      }
    }
  }

  /** Returns when the position is as wanted. */
  public void await(String what, Predicate<Position> wanted) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!wanted.test(position())) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(what + " does not come true: " + position());
      }
      Thread.sleep(50);
    }
  }

  /** Begins the next table. */
  public void roll() throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(bed.url().resolve("/api/task_schedule_cfg/roll?taskType=" + type))
            .POST(BodyPublishers.noBody())
            .build();
    HttpResponse<String> answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IllegalStateException(type + " does not roll: " + answer.body());
    }
  }

  /** For tables that are drained or given up: their retention is counted in days. */
  public void letADayPass() throws SQLException {
    try (Connection connection = bed.connect();
        PreparedStatement statement =
            connection.prepareStatement(
                """
                UPDATE t_task_table
                SET drain_time = drain_time - ?, drop_time = drop_time - ?
                WHERE task_type = ?
                """)) {
      statement.setLong(1, DAY_MS);
      statement.setLong(2, DAY_MS);
      statement.setString(3, type);
      statement.executeUpdate();
    }
  }
}
