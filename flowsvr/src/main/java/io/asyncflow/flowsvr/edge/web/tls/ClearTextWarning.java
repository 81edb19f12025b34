package io.asyncflow.flowsvr.edge.web.tls;

import java.net.InetAddress;
import org.apache.catalina.connector.Connector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Warns at the start if other machines reach this server without TLS. */
@Component
class ClearTextWarning {

  /** The value of {@code FLOW_TLS} for TLS that ends at a proxy. */
  static final String PROXY = "proxy";

  private static final Logger log = LoggerFactory.getLogger(ClearTextWarning.class);

  private final boolean hasProxy;

  ClearTextWarning(@Value("${flow.tls.mode:}") String mode) {
    this.hasProxy = mode.strip().equals(PROXY);
  }

  @EventListener
  void on(WebServerInitializedEvent start) {
    Connector connector = ((TomcatWebServer) start.getWebServer()).getTomcat().getConnector();
    boolean isLocal =
        connector.getProperty("address") instanceof InetAddress address
            && address.isLoopbackAddress(); // null stands for all addresses
    if (!isLocal && !connector.getSecure() && !hasProxy) {
      log.warn(
          "other machines reach this server without TLS, so the network can read keys and contexts:"
              + " set FLOW_TLS_CERT and FLOW_TLS_KEY, or FLOW_TLS=proxy if a proxy terminates TLS");
    }
  }
}
