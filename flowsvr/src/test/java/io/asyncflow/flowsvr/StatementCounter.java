package io.asyncflow.flowsvr;

import com.mysql.cj.MysqlConnection;
import com.mysql.cj.Query;
import com.mysql.cj.interceptors.QueryInterceptor;
import com.mysql.cj.log.Log;
import com.mysql.cj.protocol.Resultset;
import com.mysql.cj.protocol.ServerSession;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
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
  private static final Map<String, List<String>> FRAMES = new ConcurrentHashMap<>();

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

  /**
   * Our frames from the controller, or from a background loop, to the first statement since {@link
   * #clear} that matches: those of its thread, and of the thread of the request that waits for it.
   * A request that has left its thread has none there. Empty if no statement matches.
   */
  public static Optional<List<String>> framesTo(Predicate<String> statement) {
    return FRAMES.entrySet().stream()
        .filter(entry -> statement.test(entry.getKey()))
        .map(Map.Entry::getValue)
        .min(Comparator.comparingInt(List::size));
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
    FRAMES.clear();
  }

  @Override
  public QueryInterceptor init(MysqlConnection connection, Properties properties, Log log) {
    return this;
  }

  @Override
  public <T extends Resultset> T preProcess(Supplier<String> sql, Query query) {
    String text = String.valueOf(sql.get()).replaceAll("\\s+", " ");
    BY_THREAD.computeIfAbsent(Thread.currentThread(), t -> new LongAdder()).increment();
    String beginning = text.substring(0, Math.min(70, text.length()));
    BY_TEXT.computeIfAbsent(beginning, t -> new LongAdder()).increment();
    FRAMES.computeIfAbsent(beginning, t -> frames());
    return null; // go on with the statement
  }

  private static List<String> frames() {
    List<String> own = fromTheController(Thread.currentThread().getStackTrace());
    if (own.stream().noneMatch(StatementCounter::isOfAController)) {
      Thread.getAllStackTraces().values().stream()
          .map(StatementCounter::fromTheController)
          .filter(frames -> frames.stream().anyMatch(StatementCounter::isOfAController))
          .findFirst()
          .ifPresent(own::addAll);
    }
    return own;
  }

  private static List<String> fromTheController(StackTraceElement[] stack) {
    List<String> frames = new ArrayList<>();
    for (StackTraceElement frame : stack) {
      String name = frame.getClassName();
      if (name.startsWith("io.asyncflow.flowsvr.")
          && !name.equals(StatementCounter.class.getName())
          && !name.contains("$$")) {
        frames.add(
            name.substring(name.lastIndexOf('.') + 1)
                + "."
                + frame.getMethodName()
                + ":"
                + frame.getLineNumber());
      }
      if (isOfAController(name)) {
        break;
      }
    }
    return frames;
  }

  private static boolean isOfAController(String frame) {
    return frame.contains("Controller");
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
