package io.asyncflow.console.frame;

import io.asyncflow.api.FlowException;
import io.asyncflow.console.Done;
import io.asyncflow.console.OperatorClient;
import io.asyncflow.console.asset.Assets;
import io.asyncflow.console.text.Words;
import jakarta.servlet.http.HttpServletRequest;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import tools.jackson.databind.JsonNode;

/** Makes the {@link Frame} of a request, and gives it to controllers that ask for it. */
public class Frames implements HandlerMethodArgumentResolver {

  private static final String ATTRIBUTE = Frame.class.getName();

  private final OperatorClient api;
  private final ConsoleProperties properties;
  private final Assets assets;

  public Frames(OperatorClient api, ConsoleProperties properties, Assets assets) {
    this.api = api;
    this.properties = properties;
    this.assets = assets;
  }

  /** The frame of a request whose caller is known. */
  Frame of(HttpServletRequest request) {
    Frame frame = (Frame) request.getAttribute(ATTRIBUTE);
    if (frame == null) {
      frame = make(request, operator());
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

  /**
   * @throws FlowException if the caller is not known
   */
  private Operator operator() {
    JsonNode me = api.call("/api/key/me", Map.of());
    String token = me.path("csrfToken").asString("");
    return new Operator(
        me.path("principal").asString(""),
        me.path("kind").asString(""),
        texts(me.path("roles")),
        texts(me.path("verbs")),
        token.isEmpty() ? null : token);
  }

  private static Set<String> texts(JsonNode list) {
    Set<String> texts = new HashSet<>();
    list.forEach(text -> texts.add(text.asString("")));
    return Set.copyOf(texts);
  }

  @Override
  public boolean supportsParameter(MethodParameter parameter) {
    return parameter.getParameterType() == Frame.class;
  }

  @Override
  public Object resolveArgument(
      MethodParameter parameter,
      ModelAndViewContainer container,
      NativeWebRequest request,
      WebDataBinderFactory binderFactory) {
    return of(request.getNativeRequest(HttpServletRequest.class));
  }
}
