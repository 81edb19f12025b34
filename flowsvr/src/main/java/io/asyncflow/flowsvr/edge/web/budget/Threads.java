package io.asyncflow.flowsvr.edge.web.budget;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;

/**
 * What Tomcat's threads may be occupied with. While the database is slow, requests occupy those
 * that work; a heartbeat queued behind them would be late and its leases would be lost, although
 * heartbeats have database connections of their own. The threads that neither work nor serve
 * heartbeats answer health, and refuse.
 *
 * <p>Clients that hardly send or do not read can have the threads that may wait for them, which are
 * half of those that work, and their caller half of these.
 */
@Component
public class Threads implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

  private static final int KEPT = 30;
  private static final int KEPT_FOR_HEALTH = 10;

  private final Budget working;
  private final Budget heartbeats;
  private final Budget waiting;

  Threads(@Value("${server.tomcat.threads.max}") int threads) {
    int reserved = Math.min(KEPT, threads / 2);
    int most = threads - reserved;
    int beats = reserved - Math.min(KEPT_FOR_HEALTH, reserved / 2);
    this.working = new Budget("requests", most);
    this.heartbeats = new Budget("heartbeats", beats, beats);
    this.waiting = new Budget("slow clients", Math.max(1, most / 2));
  }

  Budget working() {
    return working;
  }

  Budget waiting() {
    return waiting;
  }

  public Budget heartbeats() {
    return heartbeats;
  }

  @Override
  public void customize(TomcatServletWebServerFactory factory) {
    factory.addEngineValves(new Beginning());
  }

  private final class Beginning extends ValveBase {

    Beginning() {
      super(true); // requests may be asynchronous
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
      Exchange exchange = Exchange.of(request.getCoyoteRequest());
      if (exchange != null && request.isAsyncDispatching()) {
        exchange.resume();
      } else if (exchange != null) {
        exchange.begin(request, response, Threads.this);
      }
      getNext().invoke(request, response);
    }
  }
}
