package io.asyncflow.flowsvr.edge.access.chain;

import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.RequestRate;
import io.asyncflow.flowsvr.base.system.db.DatabaseWatch;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.budget.Budget;
import io.asyncflow.flowsvr.edge.web.budget.Exchange;
import io.asyncflow.flowsvr.edge.web.error.DatabaseDownException;
import io.asyncflow.flowsvr.edge.web.error.RateExceededException;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Refuses calls before they begin: while the database is known to be down, beyond the lists that
 * this server makes at once, and beyond the rate of the caller. Thread-safe.
 *
 * <p>Each list keeps some megabytes of rows until they are written, so one for each thread would
 * exhaust the heap.
 *
 * <p>A worker must not lose for its rate what it holds. So heartbeats are not counted. What a run
 * gives back is counted, but refused only when the caller is ten seconds ahead of its rate; the
 * other calls are refused meanwhile.
 */
@Component
public class CallGate implements HandlerInterceptor, WebMvcConfigurer {

  private static final Set<Verb> OF_RUNS = EnumSet.of(Verb.WORK_REPORT, Verb.STORE_PUT);
  private static final int SECONDS_AHEAD = 10;

  /** Heap planned for one list, in bytes; a list needs a quarter of it. */
  private static final long BYTES_OF_A_LIST = 64 * 1024 * 1024;

  private static final int LEAST_LISTS = 2;

  private final DatabaseWatch database;
  private final Node node;
  private final Budget lists;

  /**
   * @param setLists {@code null} to choose by the heap
   */
  @Autowired
  CallGate(
      DatabaseWatch database, Node node, @Value("${flow.lists-at-once:#{null}}") Integer setLists) {
    this(database, node, setLists, Runtime.getRuntime().maxMemory());
  }

  /**
   * @param heap in bytes
   */
  CallGate(DatabaseWatch database, Node node, Integer setLists, long heap) {
    this.database = database;
    this.node = node;
    this.lists =
        new Budget(
            "lists", setLists != null ? setLists : Math.max(LEAST_LISTS, heap / BYTES_OF_A_LIST));
  }

  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry.addInterceptor(this);
  }

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    // A parked hold that is dispatched again was admitted before, and has its tasks.
    if (request.getDispatcherType() == DispatcherType.REQUEST
        && handler instanceof HandlerMethod method
        && method.hasMethodAnnotation(Needs.class)) {
      requireDatabase();
      takeList(request, method);
      count(method, true);
    }
    return true;
  }

  /**
   * @throws DatabaseDownException while the database is known to be down
   */
  public void requireDatabase() {
    if (!database.isUp()) {
      throw new DatabaseDownException();
    }
  }

  /**
   * Takes one of the lists for the request if the method answers with a list.
   *
   * @return whether it does
   * @throws FlowException if none is left
   */
  public boolean takeList(HttpServletRequest request, HandlerMethod method) {
    Takes takes = method.getMethodAnnotation(Takes.class);
    boolean isList = takes != null && takes.list();
    if (isList) {
      Exchange.of(request).take(lists, 1);
    }
    return isList;
  }

  /**
   * Counts a call of the caller for whom this thread works.
   *
   * @param isFirst whether it begins something; what goes on with it is counted, and refused only
   *     when the caller is ten seconds ahead of its rate
   * @throws RateExceededException if the rate has no more
   */
  public void count(HandlerMethod method, boolean isFirst) {
    Caller caller = CallerAuthentication.current();
    if (caller.rate() != null) {
      take(caller.rate(), method.getMethodAnnotation(Needs.class), isFirst);
    }
  }

  private void take(RequestRate rate, Needs needs, boolean isFirst) {
    List<Verb> verbs = List.of(needs.value());
    if (verbs.contains(Verb.WORK_BEAT)) {
      return;
    }
    boolean goesOn = !isFirst || verbs.stream().anyMatch(OF_RUNS::contains);
    Duration wait = rate.take(node.nanoTime(), goesOn ? SECONDS_AHEAD : 1);
    if (!wait.isZero()) {
      throw new RateExceededException(
          "your key may send "
              + rate.perSecond()
              + " requests a second to a server, and has sent more; nothing was done",
          wait);
    }
  }
}
