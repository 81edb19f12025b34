package io.asyncflow.flowsvr;

import java.net.BindException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.boot.web.server.WebServerException;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Explains a failed bind: the port is taken, the address is not this machine's, or the user may not
 * bind it.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class ListenFailureAnalyzer extends AbstractFailureAnalyzer<WebServerException> {

  private final Environment environment;

  ListenFailureAnalyzer(Environment environment) {
    this.environment = environment;
  }

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, WebServerException failure) {
    if (failure instanceof PortInUseException portInUse) {
      return new FailureAnalysis(
          "port " + portInUse.getPort() + " is taken; stop what listens there or set FLOW_PORT.",
          null,
          failure);
    }
    if (NestedExceptionUtils.getMostSpecificCause(failure) instanceof BindException refused) {
      return new FailureAnalysis(
          "the server cannot listen on "
              + environment.getProperty("flow.access.address", "")
              + ":"
              + environment.getProperty("server.port")
              + " ("
              + refused.getMessage()
              + "); check FLOW_ADDRESS and FLOW_PORT.",
          null,
          failure);
    }
    return null;
  }
}
