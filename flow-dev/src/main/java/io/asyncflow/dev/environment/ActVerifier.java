package io.asyncflow.dev.environment;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import io.asyncflow.rules.act.ActChain;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Compares the record of acts with its chain, in the database itself, so that no server has to be
 * believed. Whoever can write the database can make another chain; that is found out by a link that
 * was kept elsewhere.
 */
public final class ActVerifier {
  private static final int PAGE = 1_000;
  private static final int COLUMNS = ActChain.COLUMNS.split(",").length;

  private final DirectDatabase database;

  /**
   * @param environment as a server has it
   * @throws UsageException if the environment names no database
   * @throws DevException if a file with a secret cannot be read
   */
  public ActVerifier(Map<String, String> environment) {
    this.database = new DirectDatabase(environment, "verify");
  }

  /**
   * A link of the chain.
   *
   * @param id of the act
   * @param chain in hexadecimal
   */
  public record Link(long id, String chain) {

    /**
     * Reads a link as {@link #toString} writes it.
     *
     * @throws UsageException if the text is none
     */
    public static Link parse(String text) {
      if (!text.matches("[0-9]{1,18}:[0-9a-f]{64}")) {
        throw new UsageException("A link is the number of an act, a colon and 64 digits.");
      }
      int colon = text.indexOf(':');
      return new Link(Long.parseLong(text.substring(0, colon)), text.substring(colon + 1));
    }

    @Override
    public String toString() {
      return id + ":" + chain;
    }
  }

  /**
   * The outcome.
   *
   * @param fault what is wrong with the first act that is not as it was recorded; {@code null} if
   *     all are
   * @param verified how many acts are
   * @param waiting how many acts have no link yet
   * @param last the last link; {@code null} if there is none
   */
  public record Verdict(String fault, long verified, long waiting, Link last) {}

  /** Where the comparison stands. */
  private static final class Walk {
    private long last;
    private byte[] chain = ActChain.beginning();
    private long verified;
    private boolean hasSeenExpected;
    private String fault;
  }

  private record StoredLink(long id, byte[] chain, boolean isOver) {}

  /**
   * Verifies all acts.
   *
   * @param retention how long the servers keep acts: what is missing at the beginning is missed
   *     only if it is younger
   * @param expected a link that must be part of the chain; {@code null} for none
   * @throws DevException if the database does not answer
   */
  public Verdict verify(Duration retention, Link expected) {
    try (Connection connection = database.connect()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      return verify(connection, retention, expected);
    } catch (SQLException e) {
      throw DirectDatabase.failure(
          e,
          "The database has no record of acts: no flowsvr was started on it.",
          "The database did not answer");
    }
  }

  private static Verdict verify(Connection connection, Duration retention, Link expected)
      throws SQLException {
    Walk walk = new Walk();
    List<StoredLink> page;
    do {
      page = links(connection, walk.last, retention);
      if (!page.isEmpty()) {
        Map<Long, List<String>> acts = acts(connection, walk.last, page.get(page.size() - 1).id());
        for (StoredLink link : page) {
          walk.fault = compare(walk, link, acts, expected);
          if (walk.fault != null) {
            return verdict(walk, 0);
          }
        }
      }
    } while (page.size() == PAGE);
    if (expected != null && !walk.hasSeenExpected) {
      walk.fault = "The link of act " + expected.id() + " is missing.";
    }
    return verdict(walk, countAfter(connection, walk.last));
  }

  private static Verdict verdict(Walk walk, long waiting) {
    Link last = walk.last == 0 ? null : new Link(walk.last, HexFormat.of().formatHex(walk.chain));
    return new Verdict(walk.fault, walk.verified, waiting, last);
  }

  /** What is wrong at this link; {@code null} for nothing. */
  private static String compare(
      Walk walk, StoredLink link, Map<Long, List<String>> acts, Link expected) {
    List<String> act = acts.remove(link.id());
    long first = acts.isEmpty() ? Long.MAX_VALUE : acts.keySet().iterator().next();
    if (first < link.id()) {
      return "Act " + first + " was added: it is in no link.";
    }
    boolean isFirst = walk.last == 0;
    if (act == null && !(isFirst && link.isOver())) {
      return "Act " + link.id() + " is missing.";
    }
    if (act != null && !Arrays.equals(ActChain.next(walk.chain, act), link.chain())) {
      return "Act " + link.id() + " is not what was recorded, or its link is not.";
    }
    if (expected != null && expected.id() == link.id()) {
      if (!expected.chain().equals(HexFormat.of().formatHex(link.chain()))) {
        return "Act " + link.id() + " or an act before it was changed together with the chain.";
      }
      walk.hasSeenExpected = true;
    }
    walk.last = link.id();
    walk.chain = link.chain();
    walk.verified += act == null ? 0 : 1;
    return null;
  }

  private static List<StoredLink> links(Connection connection, long after, Duration retention)
      throws SQLException {
    return DirectDatabase.query(
        connection,
        row -> new StoredLink(row.getLong(1), row.getBytes(2), row.getBoolean(3)),
        "SELECT to_id, chain, close_time < "
            + DirectDatabase.NOW_MS
            + " - ? FROM t_act_chain WHERE to_id > ? ORDER BY to_id LIMIT "
            + PAGE,
        retention.toMillis(),
        after);
  }

  private static Map<Long, List<String>> acts(Connection connection, long after, long last)
      throws SQLException {
    Map<Long, List<String>> acts = new TreeMap<>();
    DirectDatabase.query(
            connection,
            ActVerifier::values,
            "SELECT " + ActChain.COLUMNS + " FROM t_act WHERE id > ? AND id <= ?",
            after,
            last)
        .forEach(act -> acts.put(Long.valueOf(act.get(0)), act));
    return acts;
  }

  private static List<String> values(ResultSet row) throws SQLException {
    List<String> values = new ArrayList<>(COLUMNS);
    for (int i = 1; i <= COLUMNS; i++) {
      values.add(row.getString(i));
    }
    return values;
  }

  private static long countAfter(Connection connection, long id) throws SQLException {
    return DirectDatabase.number(connection, "SELECT COUNT(*) FROM t_act WHERE id > ?", id);
  }
}
