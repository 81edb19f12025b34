package io.asyncflow.bench.system;

import io.asyncflow.bench.bed.RawTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.IntConsumer;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/**
 * The design that Asyncflow comes from, as a control: whoever claims takes a lock in Redis, selects
 * waiting tasks, updates them and gives the lock back; each task is created and reported by a
 * statement and a commit of its own.
 *
 * <p>It is flattered: there is no HTTP between, the row has our index, and the lock is waited for
 * without polling.
 */
public final class SeedSystem implements TaskSystem {

  private static final int CLAIMERS = 4;
  private static final int REPORTERS = 16;
  private static final int BATCH = 100;

  /** What a claimer takes ahead of the reporters. */
  private static final int QUEUE = 400;

  private static final int SHARE = 4;

  private final RawTable table;
  private final RedissonClient redis;

  public SeedSystem(RawTable table, RedissonClient redis) {
    this.table = table;
    this.redis = redis;
  }

  @Override
  public String name() {
    return "seeds' design";
  }

  @Override
  public String conditions() {
    return "control, without HTTP; a row a create, "
        + CLAIMERS
        + " claimers of "
        + BATCH
        + " under one Redis lock, a commit a report, "
        + REPORTERS
        + " reporters";
  }

  @Override
  public int share(int tasks) {
    return Math.max(1, tasks / SHARE);
  }

  @Override
  public int bulk() {
    return 1;
  }

  @Override
  public Creator creator() throws SQLException {
    return new RawSystem.RowCreator(table);
  }

  @Override
  public Runner run(IntConsumer started) throws Exception {
    BlockingQueue<RawTable.Held> held = new LinkedBlockingQueue<>(QUEUE);
    // Of this run alone: Redisson keeps a lock that is granted while its thread is interrupted.
    RLock lock = redis.getLock("claim:" + table.name() + ":" + UUID.randomUUID());
    return new Loops()
        .start(CLAIMERS, () -> new Claimer(held, lock))
        .start(REPORTERS, () -> new Reporter(held, started));
  }

  @Override
  public int unfinished() throws SQLException {
    return table.unfinished();
  }

  private final class Claimer implements Loops.Step {
    private final Connection connection = table.connect();
    private final BlockingQueue<RawTable.Held> held;
    private final RLock lock;

    Claimer(BlockingQueue<RawTable.Held> held, RLock lock) throws SQLException {
      this.held = held;
      this.lock = lock;
    }

    @Override
    public void act() throws SQLException, InterruptedException {
      List<RawTable.Held> mine = claim();
      if (mine.isEmpty()) {
        Thread.sleep(5);
      }
      for (RawTable.Held task : mine) {
        held.put(task);
      }
    }

    private List<RawTable.Held> claim() throws SQLException, InterruptedException {
      lock.lockInterruptibly();
      try {
        List<RawTable.Held> claimed = table.holdUnlocked(connection, BATCH);
        connection.commit();
        return claimed;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }

  private final class Reporter implements Loops.Step {
    private final Connection connection = table.connect();
    private final BlockingQueue<RawTable.Held> held;
    private final IntConsumer started;

    Reporter(BlockingQueue<RawTable.Held> held, IntConsumer started) throws SQLException {
      this.held = held;
      this.started = started;
      connection.setAutoCommit(true);
    }

    @Override
    public void act() throws SQLException, InterruptedException {
      RawTable.Held task = held.take();
      started.accept(task.number());
      table.finish(connection, List.of(task));
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
