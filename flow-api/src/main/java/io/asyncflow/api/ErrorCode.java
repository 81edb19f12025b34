package io.asyncflow.api;

/** The errors of the API, each with the {@code code} of its answer and its HTTP status. */
public enum ErrorCode {
  INVALID_INPUT(8020, 400, "Invalid input"),
  BODY_TOO_SLOW(8021, 408, "Body came too slowly"),
  MALFORMED_BODY(8021, 400, "Malformed body"),
  NO_SUCH_TASK(8035, 404, "No such task"),
  NO_SUCH_JOB(8036, 404, "No such job"),
  NO_SUCH_OBJECT(8037, 404, "No such object"),
  NO_SUCH_SCHEDULE(8038, 404, "No such schedule"),
  NO_SUCH_HOOK(8039, 404, "No such hook"),
  NO_SUCH_KEY(8040, 404, "No such access key"),
  NO_SUCH_BULK(8041, 404, "No such bulk"),
  NO_SUCH_TASK_TYPE(8042, 404, "No such task type"),
  LEASE_LOST(8050, 409, "Lease lost"),
  TRANSITION_NOT_ALLOWED(8051, 409, "Transition not allowed"),
  IDEMPOTENCY_CONFLICT(8052, 409, "Idempotency key used with a different body"),
  CHANGED_MEANWHILE(8053, 409, "Changed meanwhile"),
  PREVIEW_OVER(8054, 409, "Preview is over or another one"),
  TOO_LARGE(8060, 413, "Too large"),
  NOT_AUTHENTICATED(8070, 401, "Not authenticated"),
  NOT_PERMITTED(8070, 403, "Not permitted"),
  KEY_ENDED(8071, 401, "Key is not valid now"),
  VERB_MISSING(8072, 403, "Not a verb of the caller's roles"),
  OUT_OF_SCOPE(8073, 403, "Outside of the caller's scope"),
  WRONG_HOST(8074, 421, "Not a name of this server"),
  CROSS_SITE(8074, 403, "Cross-site request"),
  KEY_CONFLICT(8075, 409, "Not possible for access keys"),
  SEALING_RULE(8076, 400, "Text breaks the sealing rule of its type"),
  LIMIT_EXCEEDED(8080, 429, "Limit exceeded"),
  UNAVAILABLE(8090, 503, "Temporarily unavailable"),
  STORE_FULL(8091, 507, "Insufficient storage"),
  INTERNAL(8099, 500, "Internal error");

  private final int code;
  private final int httpStatus;
  private final String title;

  ErrorCode(int code, int httpStatus, String title) {
    this.code = code;
    this.httpStatus = httpStatus;
    this.title = title;
  }

  public int code() {
    return code;
  }

  public int httpStatus() {
    return httpStatus;
  }

  /** A short English name of the kind of error, the same for every occurrence. */
  public String title() {
    return title;
  }

  /** Whether the same request may succeed later without a change. */
  public boolean retryable() {
    return switch (this) {
      case BODY_TOO_SLOW, LIMIT_EXCEEDED, UNAVAILABLE, STORE_FULL -> true;
      default -> false;
    };
  }

  /**
   * Whether the key of the call was refused, or one of its rights is missing: the same request may
   * succeed with another key, or after a change of this one.
   */
  public boolean refusesKey() {
    return switch (this) {
      case NOT_AUTHENTICATED, NOT_PERMITTED, KEY_ENDED, VERB_MISSING -> true;
      default -> false;
    };
  }

  /**
   * The error code of an answer. Where two codes share a number, the HTTP status decides; for a
   * status that neither has, the one declared later is returned. {@link #INTERNAL} for a number
   * that this version does not know.
   */
  public static ErrorCode of(int code, int httpStatus) {
    ErrorCode sameNumber = null;
    for (ErrorCode candidate : values()) {
      if (candidate.code == code) {
        if (candidate.httpStatus == httpStatus) {
          return candidate;
        }
        sameNumber = candidate;
      }
    }
    return sameNumber == null ? INTERNAL : sameNumber;
  }
}
