package io.asyncflow.flowsvr.edge.access.chain;

import io.asyncflow.console.OpenToAll;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.MissingVerbException;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.OutOfScopeException;
import io.asyncflow.flowsvr.edge.access.Verb;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.webmvc.actuate.endpoint.web.AbstractWebMvcEndpointHandlerMapping;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.PathContainer;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.authorization.AuthorizationManager;
import org.springframework.security.authorization.AuthorizationResult;
import org.springframework.security.core.Authentication;
import org.springframework.stereotype.Component;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.servlet.resource.NoResourceFoundException;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Which verbs each route and method needs. What is not listed here is denied, whatever handlers
 * there are.
 *
 * <p>The list is made at the start from the handlers themselves, so that it cannot differ from what
 * the router does: from {@link Needs} of each controller method, and from the rules below for
 * Actuator's endpoints, the description of the API and the console's pages. A page needs a caller
 * and no verb: what it shows and does are calls of methods with {@link Needs}.
 */
@Component
class Routes implements AuthorizationManager<HttpServletRequest>, SmartInitializingSingleton {

  private static final String OWN = "io.asyncflow.";
  private static final String CONSOLE = OpenToAll.class.getPackageName() + ".";
  private static final EndpointId HEALTH = EndpointId.of("health");
  private static final Set<EndpointId> METRICS =
      Set.of(EndpointId.of("metrics"), EndpointId.of("prometheus"), EndpointId.of("sbom"));
  private static final List<String> DOCS =
      List.of("/v3/api-docs/**", "/v3/api-docs.yaml", "/swagger-ui/**");
  private static final Set<String> READING = Set.of("GET", "HEAD");
  private static final Set<String> ALL_METHODS =
      Arrays.stream(HttpMethod.values()).map(HttpMethod::name).collect(Collectors.toSet());

  private static final Set<Verb> WRITING_BY_GET = EnumSet.of(Verb.WORK_HOLD, Verb.TYPE_SAVE);

  private static final AuthorizationResult GRANTED = new AuthorizationDecision(true);

  /** A refusal, with the exception that says why. */
  record Denial(Exception reason) implements AuthorizationResult {

    @Override
    public boolean isGranted() {
      return false;
    }
  }

  /**
   * What a caller needs for a method of a route.
   *
   * @param isOpen whether no caller is needed at all
   * @param isPage whether it is one of the console's
   * @param oneOf one of these verbs; with none, every caller is let in
   */
  private record Access(boolean isOpen, boolean isPage, List<Verb> oneOf) {

    static final Access OPEN = new Access(true, false, List.of());
    static final Access OPEN_PAGE = new Access(true, true, List.of());
    static final Access PAGE = new Access(false, true, List.of());

    static Access of(Verb... oneOf) {
      return new Access(false, false, List.of(oneOf));
    }
  }

  /**
   * @param byMethod for each HTTP method that the route takes
   */
  private record Route(PathPattern pattern, Map<String, Access> byMethod) {}

  private final ObjectProvider<RequestMappingInfoHandlerMapping> mappings;
  private final PathMappedEndpoints endpoints;
  private final boolean showsDocs;

  private final Map<String, Route> byPath = new HashMap<>();
  private List<Route> withVariables = List.of();

  Routes(
      ObjectProvider<RequestMappingInfoHandlerMapping> mappings,
      PathMappedEndpoints endpoints,
      AccessProperties access) {
    this.mappings = mappings;
    this.endpoints = endpoints;
    this.showsDocs = access.docs();
  }

  /**
   * Makes the list, when all handlers are known and no request has come.
   *
   * @throws IllegalStateException if a controller method names no verb, or no method a verb
   */
  @Override
  public void afterSingletonsInstantiated() {
    Map<PathPattern, Map<String, Access>> routes = new HashMap<>();
    Set<Verb> used = EnumSet.of(Verb.METRICS_READ, Verb.DOCS_READ);
    mappings.forEach(
        mapping ->
            mapping
                .getHandlerMethods()
                .forEach(
                    (route, handler) -> {
                      if (mapping instanceof AbstractWebMvcEndpointHandlerMapping) {
                        addEndpoint(routes, route);
                      } else {
                        addOwn(routes, route, handler, used);
                      }
                    }));
    if (showsDocs) {
      for (String pattern : DOCS) {
        add(
            routes,
            PathPatternParser.defaultInstance.parse(pattern),
            READING,
            Access.of(Verb.DOCS_READ));
      }
    }
    Set<Verb> unused = EnumSet.complementOf(EnumSet.copyOf(used));
    if (!unused.isEmpty()) {
      throw new IllegalStateException("no controller method has @Needs of " + unused);
    }
    publish(routes);
  }

  private static void addOwn(
      Map<PathPattern, Map<String, Access>> routes,
      RequestMappingInfo route,
      HandlerMethod handler,
      Set<Verb> used) {
    Needs needs = handler.getMethodAnnotation(Needs.class);
    if (needs != null) {
      List.of(needs.value()).forEach(used::add);
      add(routes, route, Access.of(needs.value()));
    } else if (handler.getBeanType().getName().startsWith(CONSOLE)) {
      add(
          routes,
          route,
          handler.hasMethodAnnotation(OpenToAll.class) ? Access.OPEN_PAGE : Access.PAGE);
    } else if (isRouteOfOurs(handler.getBeanType())) {
      throw new IllegalStateException(
          handler.getShortLogMessage() + " has no @Needs, which names the verb that it needs");
    }
  }

  /** Tomcat forwards to the error route by itself; it is no route for clients. */
  private static boolean isRouteOfOurs(Class<?> controller) {
    return controller.getName().startsWith(OWN)
        && !ErrorController.class.isAssignableFrom(controller);
  }

  /** An endpoint that is neither health nor metrics stays closed, also if a setting exposes it. */
  private void addEndpoint(Map<PathPattern, Map<String, Access>> routes, RequestMappingInfo route) {
    for (PathPattern pattern : patternsOf(route)) {
      String path = pattern.getPatternString();
      if (isOf(endpoints.getPath(HEALTH), path)) {
        add(routes, pattern, READING, Access.OPEN);
      } else if (path.equals(endpoints.getBasePath())
          || METRICS.stream().anyMatch(id -> isOf(endpoints.getPath(id), path))) {
        add(routes, pattern, READING, Access.of(Verb.METRICS_READ));
      }
    }
  }

  /**
   * @param endpoint {@code null} if it is not exposed
   */
  private static boolean isOf(String endpoint, String path) {
    return endpoint != null && (path.equals(endpoint) || path.startsWith(endpoint + "/"));
  }

  private static void add(
      Map<PathPattern, Map<String, Access>> routes, RequestMappingInfo route, Access access) {
    Set<String> methods =
        route.getMethodsCondition().getMethods().stream()
            .map(Enum::name)
            .collect(Collectors.toSet());
    for (PathPattern pattern : patternsOf(route)) {
      add(routes, pattern, methods.isEmpty() ? ALL_METHODS : methods, access);
    }
  }

  private static void add(
      Map<PathPattern, Map<String, Access>> routes,
      PathPattern pattern,
      Set<String> methods,
      Access access) {
    Map<String, Access> byMethod = routes.computeIfAbsent(pattern, none -> new TreeMap<>());
    methods.forEach(method -> byMethod.put(method, access));
  }

  private static Collection<PathPattern> patternsOf(RequestMappingInfo route) {
    return route.getPathPatternsCondition().getPatterns();
  }

  private void publish(Map<PathPattern, Map<String, Access>> routes) {
    routes.forEach(
        (pattern, byMethod) -> {
          if (!pattern.hasPatternSyntax()) {
            byPath.put(pattern.getPatternString(), new Route(pattern, byMethod));
          }
        });
    withVariables =
        routes.entrySet().stream()
            .filter(route -> route.getKey().hasPatternSyntax())
            .map(route -> new Route(route.getKey(), route.getValue()))
            .sorted(Comparator.comparing(Route::pattern))
            .toList();
  }

  @Override
  public AuthorizationResult authorize(
      Supplier<? extends Authentication> authentication, HttpServletRequest request) {
    Route route = find(request);
    String method = request.getMethod();
    Access access = accessOf(route, request);
    if (access != null && access.isOpen()) {
      return GRANTED;
    }
    // Before the answer tells which routes there are.
    Caller caller = CallerAuthentication.callerOf(authentication);
    if (access == null) {
      return new Denial(
          route == null
              ? new NoResourceFoundException(
                  HttpMethod.valueOf(method), request.getRequestURI(), request.getRequestURI())
              : new HttpRequestMethodNotSupportedException(method, route.byMethod().keySet()));
    }
    if (!caller.mayOneOf(access.oneOf())) {
      return new Denial(new MissingVerbException(access.oneOf().get(0)));
    }
    return access.oneOf().contains(Verb.METRICS_READ) ? ofAll(caller) : GRANTED;
  }

  /** Metrics count the tasks of all types. */
  private static AuthorizationResult ofAll(Caller caller) {
    try {
      caller.requireAll();
      return GRANTED;
    } catch (OutOfScopeException e) {
      return new Denial(e);
    }
  }

  /** Whether somebody asks for a page of the console. */
  boolean isPage(HttpServletRequest request) {
    Access access = accessOf(find(request), request);
    return access != null && access.isPage();
  }

  /**
   * Whether a request changes nothing, or its page looks for the token of the session in its form.
   * Only old clients change something by a GET: they hold tasks and configure types.
   */
  boolean isSafe(HttpServletRequest request) {
    Access access = accessOf(find(request), request);
    return access != null && access.isPage()
        || READING.contains(request.getMethod())
            && (access == null || Collections.disjoint(access.oneOf(), WRITING_BY_GET));
  }

  /** {@code null} if there is no such route or it does not take the method. */
  private static Access accessOf(Route route, HttpServletRequest request) {
    return route == null ? null : route.byMethod().get(request.getMethod());
  }

  /** By the path as the router reads it. */
  private Route find(HttpServletRequest request) {
    PathContainer path =
        ServletRequestPathUtils.getParsedRequestPath(request).pathWithinApplication();
    Route route = byPath.get(path.value());
    if (route != null) {
      return route;
    }
    for (Route candidate : withVariables) {
      if (candidate.pattern().matches(path)) {
        return candidate;
      }
    }
    return null;
  }
}
