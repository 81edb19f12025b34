package io.asyncflow.flowsvr;

import com.mysql.cj.MysqlConnection;
import com.mysql.cj.Query;
import com.mysql.cj.interceptors.QueryInterceptor;
import com.mysql.cj.log.Log;
import com.mysql.cj.protocol.Resultset;
import com.mysql.cj.protocol.ServerSession;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Counts the statements that the driver sends for servers that name it as {@code
 * queryInterceptors}: what pools and transactions send, too, as the database counts them. Pings are
 * none.
 */
public final class StatementCounter implements QueryInterceptor {

  private static final Map<Thread, LongAdder> BY_THREAD = new ConcurrentHashMap<>();
  private static final Map<String, LongAdder> BY_TEXT = new ConcurrentHashMap<>();

  /** Statements of all threads since {@link #clear}. */
  public static long all() {
    return BY_TEXT.values().stream().mapToLong(LongAdder::sum).sum();
  }

  /** Statements that the caller's thread has sent since {@link #clear}. */
  public static long ofThisThread() {
    return BY_THREAD.getOrDefault(Thread.currentThread(), new LongAdder()).sum();
  }

  /** Statements of each thread of this name since {@link #clear}, of all servers in this JVM. */
  public static List<Long> ofThreads(String name) {
    return BY_THREAD.entrySet().stream()
        .filter(entry -> entry.getKey().getName().equals(name))
        .map(entry -> entry.getValue().sum())
        .toList();
  }

  /** Statements of all threads whose names begin so since {@link #clear}. */
  public static long ofThreadsLike(String beginning) {
    return BY_THREAD.entrySet().stream()
        .filter(entry -> entry.getKey().getName().startsWith(beginning))
        .mapToLong(entry -> entry.getValue().sum())
        .sum();
  }

  /** The most frequent statements, for people. */
  public static String most(int count) {
    return BY_TEXT.entrySet().stream()
        .sorted(Comparator.comparingLong(entry -> -entry.getValue().sum()))
        .limit(count)
        .map(entry -> String.format(Locale.ROOT, "%5d  %s", entry.getValue().sum(), entry.getKey()))
        .collect(Collectors.joining("\n"));
  }

  public static void clear() {
    BY_THREAD.clear();
    BY_TEXT.clear();
  }

  @Override
  public QueryInterceptor init(MysqlConnection connection, Properties properties, Log log) {
    return this;
  }

  @Override
  public <T extends Resultset> T preProcess(Supplier<String> sql, Query query) {
    String text = String.valueOf(sql.get()).replaceAll("\\s+", " ");
    BY_THREAD.computeIfAbsent(Thread.currentThread(), t -> new LongAdder()).increment();
    BY_TEXT
        .computeIfAbsent(text.substring(0, Math.min(70, text.length())), t -> new LongAdder())
        .increment();
    return null; // go on with the statement
  }

  @Override
  public boolean executeTopLevelOnly() {
    return false;
  }

  @Override
  public <T extends Resultset> T postProcess(
      Supplier<String> sql, Query query, T result, ServerSession session) {
    return result;
  }

  @Override
  public void destroy() {
    // nothing is open
  }
}
