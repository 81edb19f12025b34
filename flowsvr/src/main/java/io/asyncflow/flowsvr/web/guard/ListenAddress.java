package io.asyncflow.flowsvr.web.guard;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;

/** Listens on loopback only, unless a key is set. */
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
