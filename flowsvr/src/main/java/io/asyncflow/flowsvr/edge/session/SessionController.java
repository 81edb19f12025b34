package io.asyncflow.flowsvr.edge.session;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.key.BegunSession;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.session.OpenSession;
import io.asyncflow.flowsvr.edge.access.session.Sessions;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Logs people in and out. */
@RestController
@RequestMapping("/api/session")
class SessionController {

  private final Sessions sessions;

  SessionController(Sessions sessions) {
    this.sessions = sessions;
  }

  @Needs({})
  @Takes(summary = "Exchanges the key or the token of the request for the cookie of a session")
  @PostMapping
  Envelope<BegunSession> logIn(
      Fields in, Caller caller, HttpServletRequest request, HttpServletResponse response) {
    in.refuseIfBad();
    if (caller.kind() == Caller.Kind.SESSION) {
      throw notPossible("a session begins with a key or a token as bearer");
    }
    OpenSession session = sessions.begin(caller, Sessions.NO_LATEST_END, request, response);
    return Envelope.ok(
        new BegunSession(caller.principal(), session.csrfToken(), session.expireTime()));
  }

  @Needs({})
  @Takes(summary = "Ends the session of the request")
  @PostMapping("/end")
  Envelope<Void> logOut(
      Fields in, Caller caller, HttpServletRequest request, HttpServletResponse response) {
    in.refuseIfBad();
    if (!sessions.end(request, response)) {
      throw notPossible("the request has no cookie of a session");
    }
    return Envelope.done();
  }

  private static FlowException notPossible(String why) {
    return new FlowException(ErrorCode.TRANSITION_NOT_ALLOWED, why);
  }
}
