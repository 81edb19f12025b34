package io.asyncflow.bench.system;

import io.asyncflow.bench.bed.RawTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.IntConsumer;

/** Plain JDBC on a table of our own shape: what the database gives when nothing stands between. */
public final class RawSystem implements TaskSystem {

  private static final int BATCH = 100;
  private static final int CLAIMERS = 4;

  private final RawTable table;

  public RawSystem(RawTable table) {
    this.table = table;
  }

  @Override
  public String name() {
    return "raw JDBC";
  }

  @Override
  public String conditions() {
    return "a commit a call; "
        + CLAIMERS
        + " threads hold "
        + BATCH
        + " and finish them in one statement";
  }

  @Override
  public int bulk() {
    return BATCH;
  }

  @Override
  public Creator creator() throws SQLException {
    return new RowCreator(table);
  }

  /** Creates rows; a commit costs no round trip of its own. */
  static final class RowCreator implements Creator {
    private final RawTable table;
    private final Connection connection;

    RowCreator(RawTable table) throws SQLException {
      this.table = table;
      this.connection = table.connect();
      connection.setAutoCommit(true);
    }

    @Override
    public void createOne(int number) throws SQLException {
      table.insert(connection, number, number + 1);
    }

    @Override
    public void createMany(int from, int to) throws SQLException {
      table.insert(connection, from, to);
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }

  @Override
  public Runner run(IntConsumer started) throws Exception {
    return new Loops().start(CLAIMERS, () -> new Claimer(started));
  }

  @Override
  public int unfinished() throws SQLException {
    return table.unfinished();
  }

  private final class Claimer implements Loops.Step {
    private final Connection connection = table.connect();
    private final IntConsumer started;

    Claimer(IntConsumer started) throws SQLException {
      this.started = started;
    }

    @Override
    public void act() throws SQLException, InterruptedException {
      List<RawTable.Held> held = table.hold(connection, BATCH);
      connection.commit();
      if (held.isEmpty()) {
        Thread.sleep(1);
        return;
      }
      held.forEach(task -> started.accept(task.number()));
      table.finish(connection, held);
      connection.commit();
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
