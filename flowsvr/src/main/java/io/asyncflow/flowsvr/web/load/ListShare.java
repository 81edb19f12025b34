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
}
