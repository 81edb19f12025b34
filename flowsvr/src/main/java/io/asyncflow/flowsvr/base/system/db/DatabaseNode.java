package io.asyncflow.flowsvr.base.system.db;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;

/**
 * A database server, as it describes itself over a connection.
 *
 * @param id the same over all connections to the server while it runs
 * @param takesWrites whether it takes writes; of Galera's nodes all that are synced do, and {@link
 *     WriterDataSource} chooses one
 * @param rank of Galera's nodes, the same for all that ask: the lowest is the first choice; 0
 *     elsewhere
 * @param step of the ids of sessions that begin now; Galera's follow it at each statement
 */
record DatabaseNode(String id, Kind kind, boolean takesWrites, int rank, IdStep step) {

  private static final String STEP =
      """
      SELECT 'increment', @@global.auto_increment_increment
      UNION ALL SELECT 'offset', @@global.auto_increment_offset
      """;

  /**
   * 1 if a member is not in its group, or not with the majority of it: what is not read-only by
   * mistake would take writes that the group never sees, or that hang. 0 where the server does not
   * know its members.
   */
  private static final String OUTSIDE_GROUP =
      """

      UNION ALL SELECT 'outside', COUNT(*) > 0
        AND (SUM(member_id = @@global.server_uuid AND member_state = 'ONLINE') = 0
          OR 2 * SUM(member_state = 'UNREACHABLE') >= COUNT(*))
      FROM performance_schema.replication_group_members
      """;

  /** A user has no grant on a table. */
  private static final int DENIED = 1142;

  enum Kind {
    /** A server by itself, or a source or replica of asynchronous replication. */
    PLAIN(STEP + "UNION ALL SELECT 'read_only', @@global.read_only OR @@global.innodb_read_only"),
    /** A member of a group with one primary, as seen without a grant to ask for the members. */
    GROUP_UNSEEN(STEP + "UNION ALL SELECT 'read_only', @@global.super_read_only"),
    /** A member of a group with one primary. All others are read-only. */
    GROUP(GROUP_UNSEEN.question + OUTSIDE_GROUP),
    /** A member of a group each of whose members takes writes. */
    GROUP_OF_PRIMARIES(GROUP_UNSEEN.question),
    /** A node of a Galera cluster. */
    GALERA(
        """
        SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_cluster_status', 'wsrep_local_state',
          'wsrep_local_index', 'wsrep_gcomm_uuid')
        """);

    private final String question;

    Kind(String question) {
      this.question = question;
    }
  }

  /** Of a server that has said nothing. */
  static final DatabaseNode NONE = new DatabaseNode("", Kind.PLAIN, false, 0, IdStep.ONE);

  /** Engines without groups, or without Galera, lack some of them. */
  private static final String VARIABLES =
      """
      SHOW GLOBAL VARIABLES WHERE Variable_name IN ('hostname', 'port', 'server_uuid', 'wsrep_on',
        'group_replication_group_name', 'group_replication_single_primary_mode')
      """;

  /** The state in which a node of Galera has all that the cluster has committed. */
  private static final String SYNCED = "4";

  /** The state in which it sends its data to a node that joins. */
  private static final String DONOR = "2";

  /** Added to the rank of a donor. */
  private static final int DONORS = 1_000;

  /** The rank of a node that is no donor and not synced. */
  private static final int OUTSIDE = Integer.MAX_VALUE;

  /** Asks the server; two statements, three to a group without a grant. */
  static DatabaseNode of(Connection connection) throws SQLException {
    Map<String, String> variables = ask(connection, VARIABLES);
    String id =
        variables.getOrDefault(
            "server_uuid", variables.get("hostname") + ":" + variables.get("port"));
    Kind kind = kindBy(variables);
    try {
      return new DatabaseNode(id, kind, false, 0, IdStep.ONE).again(connection);
    } catch (SQLException e) {
      if (kind == Kind.GROUP && e.getErrorCode() == DENIED) {
        return new DatabaseNode(id, Kind.GROUP_UNSEEN, false, 0, IdStep.ONE).again(connection);
      }
      throw e;
    }
  }

  private static Kind kindBy(Map<String, String> variables) {
    if (isOn(variables.get("wsrep_on"))) {
      return Kind.GALERA;
    }
    if (variables.getOrDefault("group_replication_group_name", "").isEmpty()) {
      return Kind.PLAIN;
    }
    return isOn(variables.get("group_replication_single_primary_mode"))
        ? Kind.GROUP
        : Kind.GROUP_OF_PRIMARIES;
  }

  /** What the server says now, over a connection to it; one statement, two to Galera. */
  DatabaseNode again(Connection connection) throws SQLException {
    Map<String, String> now = ask(connection, kind.question);
    if (kind != Kind.GALERA) {
      boolean takesWrites = !isOn(now.get("read_only")) && !isOn(now.get("outside"));
      return new DatabaseNode(id, kind, takesWrites, 0, step(now));
    }
    boolean isPrimary = "Primary".equals(now.get("wsrep_cluster_status"));
    boolean isSynced = isPrimary && SYNCED.equals(now.get("wsrep_local_state"));
    boolean isDonor = isPrimary && DONOR.equals(now.get("wsrep_local_state"));
    return new DatabaseNode(
        now.getOrDefault("wsrep_gcomm_uuid", id), // none while it is not connected to others
        kind,
        isSynced,
        isSynced || isDonor
            ? Integer.parseInt(now.get("wsrep_local_index")) + (isDonor ? DONORS : 0)
            : OUTSIDE, // its index may be the largest number of 64 bits
        step(ask(connection, STEP)));
  }

  /**
   * Whether writes may go there if no node takes them as it should: a donor, which may be slow or
   * read-only until a joining node has its data.
   */
  boolean isBetterThanNone() {
    return kind == Kind.GALERA ? rank < OUTSIDE : takesWrites;
  }

  private static IdStep step(Map<String, String> now) {
    return new IdStep(
        Long.parseLong(now.getOrDefault("increment", "1")),
        Long.parseLong(now.getOrDefault("offset", "1")));
  }

  /** Whether both are one server with one step, and both or none take writes. */
  boolean isSameAs(DatabaseNode other) {
    return id.equals(other.id) && takesWrites == other.takesWrites && step.equals(other.step);
  }

  DatabaseNode readOnly() {
    return new DatabaseNode(id, kind, false, rank, step);
  }

  private static boolean isOn(String value) {
    return "ON".equalsIgnoreCase(value) || "1".equals(value);
  }

  private static Map<String, String> ask(Connection connection, String question)
      throws SQLException {
    Map<String, String> answers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(question)) {
      while (rows.next()) {
        answers.put(rows.getString(1), rows.getString(2));
      }
    }
    return answers;
  }
}
