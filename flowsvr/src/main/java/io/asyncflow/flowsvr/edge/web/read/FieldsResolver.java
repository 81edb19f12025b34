package io.asyncflow.flowsvr.edge.web.read;

import io.asyncflow.flowsvr.edge.web.budget.Budget;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.MethodParameter;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/** Resolves controller parameters of type {@link Fields}. */
@Component
public final class FieldsResolver implements HandlerMethodArgumentResolver {

  /** A body becomes objects of several times its size, which are there until it is answered. */
  private static final int PART_OF_THE_HEAP = 16;

  private final Budget bodyBytes;

  /** Bodies may have a sixteenth of the heap, and one always has room. */
  @Autowired
  FieldsResolver() {
    this(Runtime.getRuntime().maxMemory() / PART_OF_THE_HEAP);
  }

  /**
   * @param bytes what all bodies may have at once
   */
  FieldsResolver(long bytes) {
    long inSum = Math.max(bytes, RequestReader.MAX_BODY_BYTES);
    this.bodyBytes =
        new Budget("large bodies", inSum, Math.max(inSum / 2, RequestReader.MAX_BODY_BYTES));
  }

  @Override
  public boolean supportsParameter(MethodParameter parameter) {
    return parameter.getParameterType() == Fields.class;
  }

  @Override
  public Fields resolveArgument(
      MethodParameter parameter,
      ModelAndViewContainer container,
      NativeWebRequest request,
      WebDataBinderFactory binderFactory) {
    return RequestReader.read(request.getNativeRequest(HttpServletRequest.class), bodyBytes);
  }
}
