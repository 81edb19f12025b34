package io.asyncflow.flowsvr;

import static java.util.stream.Collectors.toMap;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Callers;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.Scope;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * A {@link RunningServer} that asks for a key, has the paths of old clients, is patient with a body
 * for two seconds only, has few threads, a {@link Probe}, and callers of each role. All tests with
 * this annotation share it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@RunningServer
@Import({KeyedServer.Probe.class, KeyedServer.Roles.class})
@TestPropertySource(
    properties = {
      "flow.access.api-key=" + KeyedServer.KEY,
      "flow.access.docs=true",
      "flow.compat.legacy-paths=true",
      "flow.hooks.allow=hooks.example",
      "flow.body-patience=2s",
      "server.tomcat.threads.max=" + KeyedServer.THREADS
    })
public @interface KeyedServer {

  int THREADS = 50;
  String KEY = "d41f8cd98f00b2e9800998ecf8427e4a";

  /**
   * Knows the callers of one role besides the one with the server's key, and two keys of
   * administrators that have ended.
   */
  class Roles {

    public static final String EXPIRED = "key-that-has-expired";
    public static final String REVOKED = "key-that-was-revoked";

    private static final Map<String, Caller> ADDED = new ConcurrentHashMap<>();

    /** Lets a caller in by this key. */
    public static void add(String key, Caller caller) {
      ADDED.put(key, caller);
    }

    /** The key of a caller that has this role alone. */
    public static String keyOf(Role role) {
      return "key-of-one-" + role;
    }

    @Bean
    @Primary
    Callers withRoles(@Qualifier("callers") Callers server) {
      Map<String, Caller> byKey =
          Arrays.stream(Role.values())
              .collect(
                  toMap(
                      Roles::keyOf,
                      role -> new Caller(Caller.Kind.KEY, "key:" + role, Set.of(role), Scope.ALL)));
      return (token, certificate) -> {
        if (EXPIRED.equals(token) || REVOKED.equals(token)) {
          throw new FlowException(ErrorCode.KEY_ENDED, "your key has ended");
        }
        Caller caller = token == null ? null : byKey.getOrDefault(token, ADDED.get(token));
        return caller == null ? server.find(token, certificate) : caller;
      };
    }
  }

  /**
   * A route with as many path variables as a trick may want, which counts who came through. Only
   * the servers of these tests have it: a controller would be found by those of all others.
   */
  class Probe {

    private final AtomicInteger calls = new AtomicInteger();

    public int calls() {
      return calls.get();
    }

    @Autowired
    void route(@Qualifier("requestMappingHandlerMapping") RequestMappingHandlerMapping routes)
        throws NoSuchMethodException {
      route(routes, "/api/probe/{a}/{b}/{c}/{d}", Probe.class.getDeclaredMethod("answer"));
      route(
          routes,
          "/api/probe/long",
          Probe.class.getDeclaredMethod("longAnswer", HttpServletResponse.class));
    }

    private void route(RequestMappingHandlerMapping routes, String path, Method method) {
      routes.registerMapping(
          RequestMappingInfo.paths(path).options(routes.getBuilderConfiguration()).build(),
          this,
          method);
    }

    @Needs({})
    @ResponseBody
    String answer() {
      calls.incrementAndGet();
      return "reached";
    }

    /** Longer than what the system buffers of it. */
    @Needs({})
    void longAnswer(HttpServletResponse response) throws IOException {
      byte[] some = new byte[64 * 1024];
      for (int i = 0; i < 256; i++) {
        response.getOutputStream().write(some);
      }
    }
  }
}
