package io.asyncflow.flowsvr.web.load;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.web.read.Takes;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.concurrent.Semaphore;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Limits how many list answers this server builds at once. Each keeps some megabytes of rows until
 * they are written, so one for each thread would exhaust the heap. Thread-safe.
 */
@Component
public class ListShare implements HandlerInterceptor {

  /** Heap planned for one list, in bytes; a list needs a quarter of it. */
  private static final long BYTES_EACH = 64 * 1024 * 1024;

  private static final int LEAST = 2;

  private static final String FURTHER = ListShare.class.getName() + ".further";

  private final Semaphore permits;

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
    this.permits = new Semaphore(set != null ? set : (int) Math.max(LEAST, heap / BYTES_EACH));
  }

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    take(handler);
    return true;
  }

  /**
   * Takes a permit if the handler answers with a list. Whoever gets one has to give it {@linkplain
   * #giveBack back}.
   *
   * @return whether it does
   * @throws FlowException if there is none
   */
  public boolean take(Object handler) {
    if (!isList(handler)) {
      return false;
    }
    if (!permits.tryAcquire()) {
      throw new FlowException(
          ErrorCode.LIMIT_EXCEEDED, "too many lists at the moment, nothing was done");
    }
    return true;
  }

  /**
   * Takes a further permit for a list that goes on, given back with its first one.
   *
   * @param most of a request
   * @return whether there was one
   */
  public boolean takeFurther(HttpServletRequest request, int most) {
    int taken = further(request);
    if (taken >= most || !permits.tryAcquire()) {
      return false;
    }
    request.setAttribute(FURTHER, taken + 1);
    return true;
  }

  private static int further(HttpServletRequest request) {
    return request.getAttribute(FURTHER) instanceof Integer taken ? taken : 0;
  }

  public void giveBack() {
    permits.release();
  }

  /** Called when the answer is written or abandoned. */
  @Override
  public void afterCompletion(
      HttpServletRequest request, HttpServletResponse response, Object handler, Exception failure) {
    if (isList(handler)) {
      permits.release(1 + further(request));
    }
  }

  private static boolean isList(Object handler) {
    return handler instanceof HandlerMethod method
        && method.hasMethodAnnotation(Takes.class)
        && method.getMethodAnnotation(Takes.class).list();
  }
}
