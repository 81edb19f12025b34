package io.asyncflow.console.frame;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.key.KeyClient;
import io.asyncflow.console.Done;
import io.asyncflow.console.OperatorClient;
import io.asyncflow.console.asset.Assets;
import io.asyncflow.console.text.Words;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/** Makes the {@link Frame} of a request, and the {@link Visit} for controllers that ask for it. */
public class Frames implements HandlerMethodArgumentResolver {

  private static final String ATTRIBUTE = Frame.class.getName();

  private final OperatorClient api;
  private final KeyClient keys;
  private final ConsoleProperties properties;
  private final Assets assets;
  private final Pages pages;

  public Frames(OperatorClient api, ConsoleProperties properties, Assets assets, Pages pages) {
    this.api = api;
    this.keys = new KeyClient(api);
    this.properties = properties;
    this.assets = assets;
    this.pages = pages;
  }

  /** The frame of a request whose caller is known. */
  Frame of(HttpServletRequest request) {
    Frame frame = (Frame) request.getAttribute(ATTRIBUTE);
    if (frame == null) {
      frame = make(request, Operator.of(keys.me()));
      request.setAttribute(ATTRIBUTE, frame);
    }
    return frame;
  }

  /** The frame of a page that is shown before the caller is known. */
  public Frame ofNobody(HttpServletRequest request) {
    return make(request, Operator.NOBODY);
  }

  /** The frame of a page that must be shown whatever the API answers. */
  Frame ofAnybody(HttpServletRequest request) {
    try {
      return of(request);
    } catch (RuntimeException e) {
      return make(request, Operator.NOBODY);
    }
  }

  Urls urls(HttpServletRequest request) {
    return Urls.of(request, properties.path(), assets.hash());
  }

  private Frame make(HttpServletRequest request, Operator operator) {
    Preferences preferences = Preferences.of(request);
    Urls urls = urls(request);
    return new Frame(
        urls,
        Words.of(preferences.language()),
        preferences,
        operator,
        properties,
        urls.opening(request),
        Done.keyIn(request).orElse(""));
  }

  @Override
  public boolean supportsParameter(MethodParameter parameter) {
    return parameter.getParameterType() == Visit.class;
  }

  /**
   * @throws FlowException if the caller is not known
   */
  @Override
  public Object resolveArgument(
      MethodParameter parameter,
      ModelAndViewContainer container,
      NativeWebRequest request,
      WebDataBinderFactory binderFactory) {
    HttpServletRequest sent = request.getNativeRequest(HttpServletRequest.class);
    return new Visit(of(sent), new Form(sent), api, pages);
  }
}
