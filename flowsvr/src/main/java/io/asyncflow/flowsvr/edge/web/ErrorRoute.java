package io.asyncflow.flowsvr.edge.web;

import io.asyncflow.flowsvr.edge.web.error.ApiError;
import io.asyncflow.flowsvr.edge.web.error.ApiErrorWriter;
import io.asyncflow.flowsvr.edge.web.read.RequestReader;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.RequestMapping;

/** The route to which Tomcat forwards requests that were refused or failed outside a controller. */
@Controller
class ErrorRoute implements ErrorController {

  private static final Logger log = LoggerFactory.getLogger(ErrorRoute.class);

  @RequestMapping("/error")
  void answer(HttpServletRequest request, HttpServletResponse response) throws IOException {
    ApiErrorWriter.write(request, response, refusal(request));
  }

  private static ApiError refusal(HttpServletRequest request) {
    Object thrown = request.getAttribute(RequestDispatcher.ERROR_EXCEPTION);
    if (thrown
        instanceof IOException cut) { // Tomcat keeps the exception even if a filter has handled it
      return ApiError.of(RequestReader.brokenOff(cut));
    }
    if (thrown instanceof Throwable failure) {
      ApiError refusal = ApiError.of(failure);
      if (refusal.httpStatus() >= 500) {
        log.error("{}: {}", request.getRequestURI(), refusal.message(), failure);
      }
      return refusal;
    }
    Object status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
    return ApiError.ofStatus(status instanceof Integer known ? known : 404);
  }
}
