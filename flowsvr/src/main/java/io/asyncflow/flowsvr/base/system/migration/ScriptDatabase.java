package io.asyncflow.flowsvr.base.system.migration;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A database whose statements of scripts, which Flyway executes one by one, can be intercepted. */
final class ScriptDatabase extends DelegatingDataSource {

  /** Decides how a statement of a script is executed. */
  @FunctionalInterface
  interface Interceptor {
    /**
     * @return as {@link Statement#execute(String)}
     */
    boolean execute(String sql, Execution real) throws SQLException;
  }

  /** The execution by the database; may be repeated. */
  @FunctionalInterface
  interface Execution {
    boolean run() throws SQLException;
  }

  @FunctionalInterface
  private interface Invocation {
    Object run() throws ReflectiveOperationException;
  }

  private final Interceptor interceptor;

  ScriptDatabase(DataSource database, Interceptor interceptor) {
    super(database);
    this.interceptor = interceptor;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection real = super.getConnection();
    return proxy(
        Connection.class,
        (proxy, method, arguments) -> {
          Object result = invoke(() -> method.invoke(real, arguments));
          boolean ofScript = method.getName().equals("createStatement");
          return ofScript ? statement((Statement) result) : result;
        });
  }

  private Statement statement(Statement real) {
    return proxy(
        Statement.class,
        (proxy, method, arguments) ->
            method.getName().equals("execute") && arguments.length == 1
                ? interceptor.execute(
                    (String) arguments[0], () -> real.execute((String) arguments[0]))
                : invoke(() -> method.invoke(real, arguments)));
  }

  private static Object invoke(Invocation invocation) throws Throwable {
    try {
      return invocation.run();
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    ClassLoader loader = ScriptDatabase.class.getClassLoader();
    return type.cast(Proxy.newProxyInstance(loader, new Class<?>[] {type}, handler));
  }
}
