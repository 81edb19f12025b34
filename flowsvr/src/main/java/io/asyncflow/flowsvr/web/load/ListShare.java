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
 * How many lists this server makes at once: each has some megabytes of rows until they are written
 * to its client, and as many lists as there are threads would take the heap. Thread-safe.
 */
@Component
public class ListShare implements HandlerInterceptor {

  /** Heap that a list is given, of which it needs a quarter. */
  private static final long BYTES_EACH = 64 * 1024 * 1024;

  private static final int LEAST = 2;

  private final Semaphore left;

  /**
   * @param set {@code null} to choose by the heap
   */
  @Autowired
  ListShare(@Value("${flow.lists-at-once:#{null}}") Integer set) {
    this(set, Runtime.getRuntime().maxMemory());
  }

  /**
   * @param heap bytes
   */
  ListShare(Integer set, long heap) {
    this.left = new Semaphore(set != null ? set : (int) Math.max(LEAST, heap / BYTES_EACH));
  }

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    if (isList(handler) && !left.tryAcquire()) {
      throw new FlowException(
          ErrorCode.LIMIT_EXCEEDED, "too many lists at the moment, nothing was done");
    }
    return true;
  }

  /** The answer has been written, or given up. */
  @Override
  public void afterCompletion(
      HttpServletRequest request, HttpServletResponse response, Object handler, Exception failure) {
    if (isList(handler)) {
      left.release();
    }
  }

  private static boolean isList(Object handler) {
    return handler instanceof HandlerMethod method
        && method.hasMethodAnnotation(Takes.class)
        && method.getMethodAnnotation(Takes.class).list();
  }
}
