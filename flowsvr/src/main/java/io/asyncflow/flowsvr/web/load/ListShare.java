package io.asyncflow.flowsvr.web.load;

import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.web.budget.Budget;
import io.asyncflow.flowsvr.web.budget.Exchange;
import io.asyncflow.flowsvr.web.read.Takes;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Limits how many list answers this server has at once. Each keeps some megabytes of rows until
 * they are written, so one for each thread would exhaust the heap. Thread-safe.
 */
@Component
public class ListShare implements HandlerInterceptor {

  /** Heap planned for one list, in bytes; a list needs a quarter of it. */
  private static final long BYTES_EACH = 64 * 1024 * 1024;

  private static final int LEAST = 2;

  private static final String FURTHER = ListShare.class.getName() + ".further";

  private final Budget lists;

  /**
   * @param set {@code null} to choose by the heap
   */
  @Autowired
  ListShare(@Value("${flow.lists-at-once:#{null}}") Integer set) {
    this(set, Runtime.getRuntime().maxMemory());
  }

  /**
   * @param heap in bytes
   */
  ListShare(Integer set, long heap) {
    this.lists = new Budget("lists", set != null ? set : Math.max(LEAST, heap / BYTES_EACH));
  }

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    if (request.getDispatcherType() == DispatcherType.REQUEST) {
      take(request, handler);
    }
    return true;
  }

  /**
   * Takes a share for the request if the handler answers with a list.
   *
   * @return whether it does
   * @throws FlowException if none is left
   */
  public boolean take(HttpServletRequest request, Object handler) {
    boolean isList =
        handler instanceof HandlerMethod method
            && method.hasMethodAnnotation(Takes.class)
            && method.getMethodAnnotation(Takes.class).list();
    if (isList) {
      Exchange.of(request).take(lists, 1);
    }
    return isList;
  }

  /**
   * Takes a further share for a list that goes on.
   *
   * @param most of a request
   * @return whether there was one
   */
  public boolean takeFurther(HttpServletRequest request, int most) {
    int taken = request.getAttribute(FURTHER) instanceof Integer further ? further : 0;
    if (taken >= most || !Exchange.of(request).tryTake(lists, 1)) {
      return false;
    }
    request.setAttribute(FURTHER, taken + 1);
    return true;
  }
}
