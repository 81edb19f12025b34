package io.asyncflow.flowsvr.base.system.db;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.asyncflow.flowsvr.base.system.BadSettingException;
import java.net.ConnectException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against servers that answer as those of MySQL and MariaDB do. */
class WriterDataSourceTest {

  private static final Map<String, Server> SERVERS = new LinkedHashMap<>();

  /** The row that Galera's nodes share; none before there are tables. */
  private static List<String> row;

  /** The nodes through which a server has written a moment ago. */
  private static final Set<String> IN_USE = new HashSet<>();

  /** A database server: what it says, and null while it does not answer. */
  private static final class Server {
    private final String name;
    private Map<String, String> says;
    private boolean tellsMembers = true;

    Server(String name) {
      this.name = name;
    }

    void isPlain(boolean readOnly) {
      says = Map.of("server_uuid", name, "read_only", readOnly ? "1" : "0");
    }

    void isMember(boolean readOnly, boolean outside) {
      says =
          new HashMap<>(
              Map.of(
                  "server_uuid",
                  name,
                  "group_replication_group_name",
                  "g",
                  "group_replication_single_primary_mode",
                  "ON",
                  "read_only",
                  readOnly ? "1" : "0",
                  "outside",
                  outside ? "1" : "0"));
    }

    /** As MariaDB says after the node has left its cluster. */
    void isAlone() {
      says =
          Map.of(
              "wsrep_on", "ON",
              "wsrep_cluster_status", "Disconnected",
              "wsrep_local_state", "0",
              "wsrep_local_index", "18446744073709551615");
    }

    void isNode(String status, int state, int index) {
      says =
          Map.of(
              "wsrep_on",
              "ON",
              "wsrep_gcomm_uuid",
              name,
              "wsrep_cluster_status",
              status,
              "wsrep_local_state",
              "" + state,
              "wsrep_local_index",
              "" + index);
    }
  }

  /** Made by its name, as the driver is. */
  public static final class ScriptedDriver extends com.mysql.cj.jdbc.Driver {

    public ScriptedDriver() throws SQLException {}

    @Override
    public Connection connect(String url, Properties properties) throws SQLException {
      Server server = SERVERS.get(url.replaceFirst("jdbc:mysql://(\\w+):7/.*", "$1"));
      if (server.says == null) {
        throw new SQLException("refused", "08S01", new ConnectException());
      }
      Connection connection = mock();
      Statement statement = mock();
      when(connection.createStatement()).thenReturn(statement);
      when(connection.getCatalog()).thenReturn(server.name);
      when(statement.executeQuery(anyString()))
          .then(call -> answer(server, call.<String>getArgument(0)));
      when(connection.prepareStatement(anyString())).then(call -> change());
      return connection;
    }

    private static ResultSet answer(Server server, String question) throws SQLException {
      if (question.contains("t_server_number")) {
        return rows(
            IN_USE.stream().filter(node -> question.contains("'" + node + "'")).map(List::of));
      }
      if (question.contains("performance_schema")) {
        if (!server.tellsMembers) {
          throw new SQLException("no grant", "42000", 1142);
        }
      } else if (server.says.containsKey("outside")) {
        return rows(
            server.says.entrySet().stream()
                .filter(e -> !e.getKey().equals("outside"))
                .map(e -> List.of(e.getKey(), e.getValue())));
      }
      if (!question.contains("t_leader")) {
        return rows(server.says.entrySet().stream().map(e -> List.of(e.getKey(), e.getValue())));
      }
      if (row == null) {
        throw new SQLException("no such table", "42S02", 1146);
      }
      return rows(Stream.of(row));
    }

    private static ResultSet rows(Stream<List<String>> rows) throws SQLException {
      Iterator<List<String>> each = rows.iterator();
      List<String> current = new ArrayList<>();
      ResultSet result = mock();
      when(result.next())
          .then(
              call -> {
                current.clear();
                return each.hasNext() && current.addAll(each.next());
              });
      when(result.getString(1)).then(call -> current.get(0));
      when(result.getString(2)).then(call -> current.get(1));
      when(result.getLong(2)).then(call -> Long.parseLong(current.get(1)));
      return result;
    }

    private static PreparedStatement change() throws SQLException {
      PreparedStatement statement = mock();
      List<Object> values = new ArrayList<>(List.of("", 0L));
      doAnswer(call -> values.set(0, call.getArgument(1)))
          .when(statement)
          .setString(eq(1), anyString());
      doAnswer(call -> values.set(1, call.getArgument(1)))
          .when(statement)
          .setLong(eq(2), anyLong());
      when(statement.executeUpdate())
          .then(
              call -> {
                long term = Long.parseLong(row.get(1));
                if (!values.get(1).equals(term)) {
                  return 0;
                }
                row = List.of((String) values.get(0), "" + (term + 1));
                return 1;
              });
      return statement;
    }
  }

  private final Server one = new Server("one");
  private final Server two = new Server("two");
  private final Server three = new Server("three");
  private final WriterDataSource database = of("jdbc:mysql://one:7,two:7,three:7/flow?a=b");

  private static WriterDataSource of(String url) {
    HikariConfig settings = new HikariConfig();
    settings.setDriverClassName(ScriptedDriver.class.getName());
    settings.setJdbcUrl(url);
    return new WriterDataSource(settings);
  }

  @BeforeEach
  void start() {
    row = List.of("", "0");
    IN_USE.clear();
    List.of(one, two, three).forEach(server -> SERVERS.put(server.name, server));
  }

  private String connected() throws SQLException {
    return database.getConnection().getCatalog();
  }

  @Test
  void connectsToTheOneThatIsNotReadOnly() throws SQLException {
    one.isPlain(true);
    two.isPlain(false);
    three.isPlain(true);

    assertThat(connected()).isEqualTo("two");
  }

  @Test
  void poolsWaitForTheEndOfAnOutage() throws Exception {
    List.of(one, two, three).forEach(server -> server.isPlain(false));
    database.pause();
    CompletableFuture<Connection> ofAPool = new CompletableFuture<>();
    new Thread(() -> ofAPool.completeAsync(this::connection, Runnable::run)).start();

    assertThat(database.with(new Properties()).getConnection()).as("of the watch").isNotNull();
    assertThat(ofAPool).isNotDone();
    database.resume();
    assertThat(ofAPool.get(10, SECONDS)).isNotNull();
  }

  private Connection connection() {
    try {
      return database.getConnection();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void followsThePrimaryOfAGroup() throws SQLException {
    one.isMember(false, false);
    two.isMember(true, false);
    three.isMember(true, false);
    assertThat(connected()).isEqualTo("one");

    one.isMember(true, false);
    three.isMember(false, false);

    assertThat(connected()).isEqualTo("three");
  }

  @Test
  void passesByAMemberThatIsOutsideItsGroupAndNotReadOnly() throws SQLException {
    one.isMember(false, true);
    two.isMember(true, false);
    three.isMember(false, false);

    assertThat(connected()).isEqualTo("three");
  }

  @Test
  void leavesAPrimaryThatIsCutOffFromItsGroup() throws SQLException {
    one.isMember(false, false);
    Connection connection = database.getConnection();
    DatabaseNode before = database.ask(connection, null);
    assertThat(before.takesWrites()).isTrue();

    one.isMember(false, true);

    assertThat(database.ask(connection, before).takesWrites()).isFalse();
  }

  @Test
  void believesAMemberThatItMayNotAskForItsGroup() throws SQLException {
    one.isMember(true, false);
    two.isMember(false, true);
    two.tellsMembers = false;

    assertThat(connected()).isEqualTo("two");
    DatabaseNode before = database.ask(database.getConnection(), null);
    assertThat(database.ask(database.getConnection(), before).takesWrites()).isTrue();
  }

  @Test
  void refusesAGroupOfSeveralPrimariesAtTheStart() {
    one.isMember(false, false);
    one.says.put("group_replication_single_primary_mode", "OFF");
    HikariDataSource pool = new HikariDataSource();
    pool.setDriverClassName(ScriptedDriver.class.getName());
    pool.setJdbcUrl("jdbc:mysql://one:7/flow");

    assertThatThrownBy(() -> new DirectDatabase(pool, "a=1").first(Duration.ofSeconds(1)))
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining("is a group of several primaries")
        .hasMessageContaining("group_replication_single_primary_mode=ON");
  }

  @Test
  void saysThatNoHostTakesWrites() {
    one.isMember(true, false);
    two.isMember(true, false);

    assertThatThrownBy(this::connected)
        .hasMessage("no host of jdbc:mysql://one:7,two:7,three:7/flow takes writes")
        .extracting(failure -> ((SQLException) failure).getSQLState())
        .isEqualTo("08S01");
  }

  @Test
  void connectsToTheOnlyHostWhateverItSays() throws SQLException {
    one.isPlain(true);

    assertThat(of("jdbc:mysql://one:7/flow").getConnection().getCatalog()).isEqualTo("one");
  }

  @Test
  void choosesTheSyncedNodeOfTheLowestIndex() throws SQLException {
    IN_USE.add(""); // a server has beaten before there was a writer
    one.isNode("Primary", 2, 0); // a donor
    two.isNode("Primary", 4, 2);
    three.isNode("Primary", 4, 1);

    assertThat(connected()).isEqualTo("three");
    assertThat(row).containsExactly("three", "1");
  }

  @Test
  void passesByANodeThatHasLeftItsCluster() throws SQLException {
    one.isAlone();
    two.isNode("Primary", 4, 0);

    assertThat(connected()).isEqualTo("two");
  }

  @Test
  void takesADonorIfNoNodeIsSynced() throws SQLException {
    one.isNode("Primary", 1, 0); // joins
    two.isNode("Primary", 2, 1);

    assertThat(connected()).isEqualTo("two");
  }

  @Test
  void leavesTheWriterToTheServersThatReachIt() throws SQLException {
    row = List.of("two", "7");
    one.isNode("Primary", 4, 0);
    IN_USE.add("two");

    assertThatThrownBy(this::connected)
        .hasMessage("others write to a server of the database that this one does not reach");
    assertThat(row).containsExactly("two", "7");

    IN_USE.clear();
    assertThat(connected()).isEqualTo("one");
  }

  @Test
  void choosesANodeBeforeThereAreTables() throws SQLException {
    row = null;
    one.isNode("Primary", 4, 1);
    two.isNode("Primary", 4, 0);

    assertThat(connected()).isEqualTo("two");
  }

  @Test
  void takesTheNodeThatAnotherServerChose() throws SQLException {
    row = List.of("two", "7");
    one.isNode("Primary", 4, 0);
    two.isNode("Primary", 4, 1);

    assertThat(connected()).isEqualTo("two");
    assertThat(row).containsExactly("two", "7");
  }

  @Test
  void leavesANodeThatIsCutOffAndStaysWhereItWentTo() throws SQLException {
    one.isNode("Primary", 4, 0);
    two.isNode("Primary", 4, 1);
    assertThat(connected()).isEqualTo("one");

    one.isNode("non-Primary", 0, 0);
    assertThat(connected()).isEqualTo("two");

    one.isNode("Primary", 4, 0);
    assertThat(connected()).isEqualTo("two");
    assertThat(row).containsExactly("two", "2");
  }

  @Test
  void tellsOfANodeThatIsNotTheChosenOneThatItTakesNoWrites() throws SQLException {
    one.isNode("Primary", 4, 0);
    Connection connection = database.getConnection();
    DatabaseNode before = database.ask(connection, null);
    assertThat(before.takesWrites()).isTrue();

    row = List.of("two", "2");

    assertThat(database.ask(connection, before).takesWrites()).isFalse();
  }
}
