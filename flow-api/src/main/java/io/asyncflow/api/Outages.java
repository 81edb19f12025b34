package io.asyncflow.api;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;

/** Says why a call to a server got no usable answer, and what to do about it. */
final class Outages {

  /** The advice where there is no connection. */
  private static final String CHECK = "check that the server runs and that the URL is right";

  /** The caveat of every failure after the request may have arrived. */
  private static final String MAY_HAVE_TAKEN_EFFECT = "the call may have taken effect all the same";

  /** The JDK's messages for an answer in plain text, for which it has no exception class. */
  private static final Set<String> NOT_TLS =
      Set.of(
          "Unsupported or unrecognized SSL message",
          "Unrecognized SSL message, plaintext connection?");

  private final ServerUrl server;
  private final Duration connectTimeout;

  Outages(ServerUrl server, Duration connectTimeout) {
    this.server = server;
    this.connectTimeout = connectTimeout;
  }

  /** There is no key to make the call with. */
  FlowUnreachableException noKey(RuntimeException cause) {
    return unreachable(
        "was not called, because there is no key for the call (" + OneLine.ofThrowable(cause) + ")",
        cause);
  }

  /**
   * @param limit how long the answer could take
   */
  FlowUnreachableException broken(String path, Duration limit, IOException cause) {
    if (cause instanceof HttpConnectTimeoutException) {
      long seconds = connectTimeout.toSeconds();
      return unreachable("accepts no connection within " + seconds + " s; " + CHECK, cause);
    }
    if (cause instanceof ConnectException e) {
      return unreachable(whyNotConnected(e) + "; " + CHECK, e);
    }
    if (cause instanceof SSLException e && isHandshakeFailure(e)) {
      return unreachable(
          "cannot be reached over TLS ("
              + e.getMessage()
              + "); check its certificate and that the URL is right",
          e);
    }
    if (cause instanceof HttpTimeoutException) {
      return unreachable(
          "did not answer "
              + path
              + " within "
              + limit.toMillis()
              + " ms; "
              + MAY_HAVE_TAKEN_EFFECT,
          cause);
    }
    return unreachable(
        "broke off the call " + path + " (" + cause + "); " + MAY_HAVE_TAKEN_EFFECT, cause);
  }

  FlowUnreachableException interrupted(String path, InterruptedException cause) {
    return new FlowUnreachableException(
        "the thread was interrupted while it waited for the answer to "
            + path
            + "; "
            + MAY_HAVE_TAKEN_EFFECT,
        cause);
  }

  /** The status alone says what such an answer means: see {@link Verdict}. */
  FlowException notFlowsvr(String path, int status, Throwable cause) {
    Verdict verdict = Verdict.of(status);
    String message =
        "what answers at "
            + server
            + path
            + " (HTTP "
            + status
            + ") is not flowsvr; "
            + verdict.advice;
    return switch (verdict) {
      case OUTAGE -> new FlowUnreachableException(message, cause);
      case REFUSAL -> new FlowUnreachableException(message, cause, false);
      case BAD_KEY -> new FlowException(ErrorCode.NOT_AUTHENTICATED, message, List.of(), cause);
      case TOO_LARGE -> new FlowException(ErrorCode.TOO_LARGE, message, List.of(), cause);
    };
  }

  /** What an answer means that a gateway or a firewall gives in the place of flowsvr. */
  private enum Verdict {
    /** It may pass, as a page of maintenance does, or a route that is not there yet. */
    OUTAGE("check that the URL is right and that no proxy answers in its place"),
    /** The same call would be refused again. */
    REFUSAL("it refuses this call: check that the URL is right and what it lets through"),
    /** Another key may pass. */
    BAD_KEY("it refuses the key of this call"),
    /** A smaller body may pass. */
    TOO_LARGE("it takes no body of this size: let it take what flowsvr takes");

    private static final Set<Integer> REFUSALS =
        Set.of(301, 308, 400, 403, 405, 406, 411, 414, 415, 417, 422, 426, 431, 451, 501, 505);

    private final String advice;

    Verdict(String advice) {
      this.advice = advice;
    }

    static Verdict of(int status) {
      return switch (status) {
        case 401 -> BAD_KEY;
        case 413 -> TOO_LARGE;
        default -> REFUSALS.contains(status) ? REFUSAL : OUTAGE;
      };
    }
  }

  FlowUnreachableException unreadable(String path, String why, Throwable cause) {
    return new FlowUnreachableException(
        OneLine.of(
            "flowsvr's answer to "
                + path
                + " cannot be read ("
                + why
                + "); check that the versions of client and server are compatible"),
        cause);
  }

  /**
   * @param what continues the sentence after the server's address
   */
  private FlowUnreachableException unreachable(String what, Throwable cause) {
    return new FlowUnreachableException(OneLine.of("flowsvr at " + server + " " + what), cause);
  }

  /** A reason for the message, since the HTTP client's exceptions mostly have none. */
  private static String whyNotConnected(ConnectException e) {
    if (rootOf(e) instanceof UnresolvedAddressException) {
      return "has a host name that is unknown";
    }
    return e.getMessage() == null
        ? "refuses the connection"
        : "accepts no connection (" + e.getMessage() + ")";
  }

  /** Only then is it certain that the server has seen nothing of the call. */
  private static boolean isHandshakeFailure(SSLException e) {
    return e instanceof SSLHandshakeException
        || rootOf(e)
            instanceof SSLPeerUnverifiedException // wrapped in an exception of the HTTP client
        || (e.getMessage() != null && NOT_TLS.contains(e.getMessage()));
  }

  private static Throwable rootOf(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }
}
