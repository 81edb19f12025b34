package io.asyncflow.console;

import io.asyncflow.api.FlowException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;

/**
 * Begins sessions of operators who log in elsewhere, at an OpenID Connect issuer. There is none
 * where the server knows no such issuer. Thread-safe.
 */
public interface IssuerLogIn {

  /** Why a log-in ended without a session. */
  enum Reason {
    /** It was not begun in this browser, or too long ago. */
    STALE,
    /** The issuer lets the person not in, or the person has given up. */
    DECLINED,
    /** What the issuer answered proves nobody. */
    UNPROVEN,
    /** The person may do nothing here. */
    NO_RIGHTS
  }

  /** A log-in ended without a session. */
  final class RefusedException extends Exception {

    private static final long serialVersionUID = 1L;

    private final Reason reason;
    private final String to;

    public RefusedException(Reason reason) {
      this(reason, "");
    }

    /**
     * @param to the page that was asked for at its begin; empty if that is not known
     */
    public RefusedException(Reason reason, String to) {
      super(reason.name());
      this.reason = reason;
      this.to = to;
    }

    public Reason reason() {
      return reason;
    }

    public String to() {
      return to;
    }
  }

  /**
   * Begins a log-in: the browser keeps what it has to bring back.
   *
   * @param to the page of the console that was asked for
   * @return the issuer's page
   * @throws FlowException if the issuer does not answer, or others could read the cookie
   */
  URI begin(String to, HttpServletRequest request, HttpServletResponse response);

  /**
   * Ends a log-in with the cookie of a session, from the request by which the issuer sent the
   * browser back.
   *
   * @return the page that was asked for at its begin
   * @throws FlowException if the issuer does not answer
   */
  String finish(HttpServletRequest request, HttpServletResponse response) throws RefusedException;
}
