package io.asyncflow.flowsvr.edge.web;

import io.asyncflow.flowsvr.edge.web.error.ApiError;
import io.asyncflow.flowsvr.edge.web.error.ApiErrorWriter;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.valves.ErrorReportValve;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Writes Tomcat's own refusals (illegal characters in the request line, oversized headers, an
 * undecodable path) in the server's error format instead of an HTML page.
 */
@Component
@Order(Ordered.LOWEST_PRECEDENCE)
class TomcatErrors implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

  @Override
  public void customize(TomcatServletWebServerFactory factory) {
    factory.addContextCustomizers(
        context -> {
          StandardHost host = (StandardHost) context.getParent();
          host.setErrorReportValveClass(Report.class.getName());
        });
  }

  /** Public with a public constructor, because Tomcat instantiates it by class name. */
  public static class Report extends ErrorReportValve {

    @Override
    protected void report(Request request, Response response, Throwable failure) {
      boolean isOurs = response.getStatus() >= 400 && response.getContentWritten() == 0;
      if (!isOurs || !response.setErrorReported()) {
        return;
      }
      try {
        ApiErrorWriter.write(
            request.getRequest(), response.getResponse(), ApiError.ofStatus(response.getStatus()));
        response.finishResponse();
      } catch (IOException e) {
        container.getLogger().debug("the client of a refused request is gone", e);
      }
    }
  }
}
