package io.asyncflow.flowsvr;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * A {@link RunningServer} that asks for a key, is patient with a body for two seconds only, has few
 * threads, and a {@link Probe}. All tests with this annotation share it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@RunningServer
@Import(KeyedServer.Probe.class)
@TestPropertySource(
    properties = {
      "flow.access.api-key=" + KeyedServer.KEY,
      "flow.body-patience=2s",
      "server.tomcat.threads.max=" + KeyedServer.THREADS
    })
public @interface KeyedServer {

  int THREADS = 50;
  String KEY = "d41f8cd98f00b2e9800998ecf8427e4a";

  /**
   * A route with as many path variables as a trick may want, which counts who came through. Only
   * the servers of these tests have it: a controller would be found by those of all others.
   */
  class Probe {

    public final AtomicInteger calls = new AtomicInteger();

    @Autowired
    void route(@Qualifier("requestMappingHandlerMapping") RequestMappingHandlerMapping routes)
        throws NoSuchMethodException {
      routes.registerMapping(
          RequestMappingInfo.paths("/api/probe/{a}/{b}/{c}/{d}")
              .options(routes.getBuilderConfiguration())
              .build(),
          this,
          Probe.class.getDeclaredMethod("answer"));
    }

    @ResponseBody
    String answer() {
      calls.incrementAndGet();
      return "reached";
    }
  }
}
