package io.asyncflow.flowsvr.edge.access;

import io.asyncflow.flowsvr.edge.act.Actor;
import io.asyncflow.flowsvr.edge.act.CurrentActor;
import io.asyncflow.flowsvr.edge.web.filter.ClientAddress;
import io.asyncflow.flowsvr.edge.web.filter.TraceId;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The actor is the caller that the thread's request has proven to be. */
@Component
public class CallerActor implements CurrentActor {

  @Override
  public Actor get() {
    Authentication proven = SecurityContextHolder.getContext().getAuthentication();
    if (proven == null || !(proven.getPrincipal() instanceof Caller caller)) {
      return Actor.SERVER;
    }
    return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes known
        ? of(caller, known.getRequest())
        : Actor.ofRequest(caller.principal(), null, "");
  }

  /** The caller of a request, before a thread works in its name. */
  public static Actor of(Caller caller, HttpServletRequest request) {
    return Actor.ofRequest(
        caller.principal(),
        ClientAddress.parse(request.getRemoteAddr()).orElse(null),
        TraceId.of(request));
  }
}
