package io.asyncflow.flowsvr.access.chain;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;

/** Listens on loopback only, unless callers have to prove themselves. */
@Component
class ListenAddress implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

  private final AccessProperties access;

  ListenAddress(AccessProperties access) {
    this.access = access;
  }

  @Override
  public void customize(TomcatServletWebServerFactory factory) {
    factory.setAddress(access.listenAddress());
  }
}
