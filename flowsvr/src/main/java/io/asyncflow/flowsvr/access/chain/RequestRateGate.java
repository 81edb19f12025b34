package io.asyncflow.flowsvr.access.chain;

import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Needs;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.concurrent.RequestRate;
import io.asyncflow.flowsvr.web.error.RateExceededException;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.springframework.stereotype.Component;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Refuses what a caller asks for beyond its rate.
 *
 * <p>A worker must not lose for its rate what it holds. So heartbeats are not counted. What a run
 * gives back is counted, but refused only when the caller is ten seconds ahead of its rate; the
 * other calls are refused meanwhile.
 */
@Component
public class RequestRateGate implements HandlerInterceptor, WebMvcConfigurer {

  private static final Set<Verb> OF_RUNS = EnumSet.of(Verb.WORK_REPORT, Verb.STORE_PUT);
  private static final int SECONDS_AHEAD = 10;

  private final Node node;

  RequestRateGate(Node node) {
    this.node = node;
  }

  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry.addInterceptor(this);
  }

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    // A parked hold that is dispatched again was counted before.
    if (request.getDispatcherType() == DispatcherType.REQUEST
        && handler instanceof HandlerMethod method
        && method.hasMethodAnnotation(Needs.class)) {
      count(method, true);
    }
    return true;
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
