package io.asyncflow.flowsvr.edge.access.chain;

import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Callers;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.key.KnownKeys;
import io.asyncflow.flowsvr.edge.access.refusal.RefusedRequests;
import io.asyncflow.flowsvr.edge.access.session.SessionGuard;
import io.asyncflow.flowsvr.edge.access.session.Sessions;
import io.asyncflow.flowsvr.edge.access.site.LocalGuard;
import io.asyncflow.flowsvr.edge.access.token.Tokens;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import org.springdoc.core.utils.SpringDocUtils;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.MethodParameter;
import org.springframework.security.config.observation.SecurityObservationSettings;
import org.springframework.security.web.DefaultSecurityFilterChain;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.ExceptionTranslationFilter;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.StrictHttpFirewall;
import org.springframework.security.web.savedrequest.NullRequestCache;
import org.springframework.security.web.util.matcher.AnyRequestMatcher;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Builds the doors that the package describes. */
@Configuration(proxyBeanMethods = false)
class ChainConfiguration implements WebMvcConfigurer {

  static {
    SpringDocUtils.getConfig().addRequestWrapperToIgnore(Caller.class);
  }

  /** Listens on loopback only, unless callers have to prove themselves. */
  @Bean
  static WebServerFactoryCustomizer<TomcatServletWebServerFactory> listenAddress(
      AccessProperties access) {
    return factory -> factory.setAddress(access.listenAddress());
  }

  /** In mode local everybody who gets here may do everything. */
  @Bean
  Callers callers(
      AccessProperties access,
      ObjectProvider<KnownKeys> accessKeys,
      ObjectProvider<Tokens> tokens) {
    return switch (access.mode()) {
      case LOCAL -> {
        Caller local = Caller.unlimited(Caller.Kind.LOCAL, Caller.EVERYBODY);
        yield (token, certificate) -> local;
      }
      case KEY -> new OneKey(access.apiKey());
      case KEYS -> withAccessKeys(access, accessKeys.getObject(), tokens.getIfAvailable());
    };
  }

  /** A reference to the method: a bean that is returned by another one would be started twice. */
  private static Callers withAccessKeys(
      AccessProperties access, KnownKeys accessKeys, Tokens tokens) {
    List<Callers> kinds = new ArrayList<>();
    kinds.add(accessKeys::find);
    if (!access.apiKey().isEmpty()) {
      kinds.add(new OneKey(access.apiKey()));
    }
    if (tokens != null) {
      kinds.add((token, certificate) -> tokens.find(token));
    }
    return (token, certificate) -> {
      for (Callers kind : kinds) {
        Caller caller = kind.find(token, certificate);
        if (caller != null) {
          return caller;
        }
      }
      return null;
    };
  }

  /**
   * The percent sign makes the firewall refuse every encoding. Its other checks are off: {@link
   * Routes} denies methods, and headers and parameters are checked where they are read. Its names
   * of hosts are not used, because it would ask for them on the open route, too, and would believe
   * {@code X-Forwarded-Host}; {@link LocalGuard} does neither.
   */
  @Bean
  HttpFirewall firewall() {
    StrictHttpFirewall firewall = new StrictHttpFirewall();
    firewall.getEncodedUrlBlocklist().add("%");
    firewall.setUnsafeAllowAnyHttpMethod(true);
    firewall.setAllowedHeaderNames(any -> true);
    firewall.setAllowedHeaderValues(any -> true);
    firewall.setAllowedParameterNames(any -> true);
    firewall.setAllowedParameterValues(any -> true);
    return firewall;
  }

  /**
   * Built by hand and not by {@code HttpSecurity}, so that it has these filters and no other: no
   * session of Tomcat's, no form to log in, no user that Spring makes up. Bearer tokens need no
   * protection against forged requests of browsers, which do not send them.
   */
  @Bean
  SecurityFilterChain chain(
      AccessProperties access,
      Callers callers,
      Sessions sessions,
      EnvironmentKeyUse environmentKeyUse,
      Routes routes,
      Refusals refusals,
      RefusedRequests refusedRequests) {
    List<Filter> filters = new ArrayList<>();
    filters.add(
        (request, response, next) -> {
          next.doFilter(request, response);
          refusedRequests.countAnswer((HttpServletRequest) request);
        });
    if (access.isLocal()) {
      filters.add(new LocalGuard(access.hosts()));
    }
    filters.add(new CallerFilter(callers, sessions, environmentKeyUse));
    if (!access.isLocal()) {
      filters.add(new SessionGuard(routes::isSafe, routes::isPage));
    }
    ExceptionTranslationFilter refused =
        new ExceptionTranslationFilter(refusals, new NullRequestCache());
    refused.setAccessDeniedHandler(refusals);
    filters.add(refused);
    filters.add(new AuthorizationFilter(routes));
    return new DefaultSecurityFilterChain(AnyRequestMatcher.INSTANCE, filters);
  }

  /** Otherwise Micrometer would wrap each filter of each request. */
  @Bean
  SecurityObservationSettings noObservations() {
    return SecurityObservationSettings.noObservations();
  }

  /** An infrastructure bean, as those are the advisors that every proxy creator takes. */
  @Bean
  @org.springframework.context.annotation.Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static Advisor secondDoor() {
    return new DefaultPointcutAdvisor(
        AnnotationMatchingPointcut.forMethodAnnotation(Needs.class), new SecondDoor());
  }

  @Override
  public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
    resolvers.add(new CallerArgument());
  }

  /** Gives controller methods the {@link Caller} of the request. */
  private static final class CallerArgument implements HandlerMethodArgumentResolver {

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
      return parameter.getParameterType() == Caller.class;
    }

    @Override
    public Object resolveArgument(
        MethodParameter parameter,
        ModelAndViewContainer container,
        NativeWebRequest request,
        WebDataBinderFactory binderFactory) {
      return CallerAuthentication.current();
    }
  }
}
