package io.asyncflow.flowsvr.compose.schedule.fire;

import com.mysql.cj.MysqlConnection;
import com.mysql.cj.Query;
import com.mysql.cj.exceptions.CJCommunicationsException;
import com.mysql.cj.interceptors.QueryInterceptor;
import com.mysql.cj.jdbc.JdbcConnection;
import com.mysql.cj.log.Log;
import com.mysql.cj.protocol.Resultset;
import com.mysql.cj.protocol.ServerSession;
import java.sql.SQLException;
import java.util.Properties;
import java.util.function.Supplier;

/**
 * Breaks off the connection at one of the statements of a thread, for servers that name this as
 * {@code queryInterceptors}. It sees what transactions send, too: {@code SET autocommit} and {@code
 * COMMIT}. Threads without a {@link Fault} are left alone.
 */
public final class FatalStatements implements QueryInterceptor {

  private static final ThreadLocal<Fault> FAULTS = new ThreadLocal<>();

  private MysqlConnection connection;

  /** What happens at a statement. */
  enum Kind {
    /** The server is killed before it sends the statement: it sends none from then on. */
    KILL,
    /** The connection breaks before the answer to the statement reaches the server. */
    LOST_ANSWER
  }

  /** A fault at the n-th statement of the work. For one thread. */
  static final class Fault {

    private final Kind kind;
    private final int statement;
    private int sent;
    private Long session;

    private Fault(Kind kind, int statement) {
      this.kind = kind;
      this.statement = statement;
    }

    /**
     * @param statement from 1 on
     */
    static Fault at(Kind kind, int statement) {
      return new Fault(kind, statement);
    }

    static Fault none() {
      return new Fault(Kind.KILL, Integer.MAX_VALUE);
    }

    /** Runs the work with this fault; what the fault makes it throw is swallowed. */
    void in(Runnable work) {
      FAULTS.set(this);
      try {
        work.run();
      } catch (RuntimeException e) {
        if (session == null) {
          throw e;
        }
      } finally {
        FAULTS.remove();
      }
    }

    /** The statements that were begun. */
    int statements() {
      return sent;
    }

    /**
     * The database's session that lost its client; {@code null} if the work had fewer statements.
     */
    Long session() {
      return session;
    }

    boolean isKill() {
      return kind == Kind.KILL;
    }

    private boolean strikesBeforeNext() {
      sent++;
      return sent >= statement && isKill();
    }

    private boolean strikesAfterLast() {
      return sent == statement && !isKill();
    }
  }

  @Override
  public QueryInterceptor init(MysqlConnection of, Properties properties, Log log) {
    connection = of;
    return this;
  }

  @Override
  public <T extends Resultset> T preProcess(Supplier<String> sql, Query query) {
    Fault fault = FAULTS.get();
    if (fault != null && fault.strikesBeforeNext()) {
      breakOff(fault);
    }
    return null; // go on with the statement
  }

  @Override
  public <T extends Resultset> T postProcess(
      Supplier<String> sql, Query query, T result, ServerSession state) {
    Fault fault = FAULTS.get();
    if (fault != null && fault.strikesAfterLast()) {
      breakOff(fault);
    }
    return result;
  }

  /** Without a farewell, as a process that is killed. */
  private void breakOff(Fault fault) {
    if (fault.session == null) {
      fault.session = connection.getSession().getThreadId();
    }
    try {
      ((JdbcConnection) connection).abortInternal();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    throw new CJCommunicationsException("broken off by the test");
  }

  @Override
  public boolean executeTopLevelOnly() {
    return false;
  }

  @Override
  public void destroy() {
    // nothing is open
  }
}
