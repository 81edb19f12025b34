package io.asyncflow.flowsvr.edge.web.error;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.asyncflow.api.FieldError;
import java.util.List;

/**
 * The body of every error answer: the envelope and the members of RFC 9457.
 *
 * @param result always {@code null}
 * @param type a name for the kind of error
 * @param title the kind of error in English
 * @param detail same text as {@code msg}
 * @param instance the path of the request
 * @param traceId finds the request in the server's log
 * @param retryable whether the same request may succeed later
 * @param errors one entry for each invalid field; empty unless the input was invalid
 * @param outcomeUnknown whether the request may have changed something; absent if it has not
 * @param needs the verb that the caller lacks; absent with other errors
 * @param scope what lies outside of the caller's scope: {@code type}, {@code stage}, {@code user},
 *     {@code worker}; absent with other errors
 * @param error why the caller's key does not count: {@code expired}, {@code revoked}, {@code
 *     pending}, {@code certificate}; absent with other errors
 */
@JsonPropertyOrder(alphabetic = false)
public record ErrorBody(
    String msg,
    int code,
    Object result,
    String type,
    String title,
    int status,
    String detail,
    String instance,
    String traceId,
    boolean retryable,
    List<FieldError> errors,
    @JsonInclude(JsonInclude.Include.NON_NULL) Boolean outcomeUnknown,
    @JsonInclude(JsonInclude.Include.NON_NULL) String needs,
    @JsonInclude(JsonInclude.Include.NON_NULL) String scope,
    @JsonInclude(JsonInclude.Include.NON_NULL) String error) {

  private static final int MAX_INSTANCE = 256;

  static ErrorBody of(ApiError refusal, String path, String traceId) {
    return new ErrorBody(
        refusal.message(),
        refusal.code().code(),
        null,
        "urn:asyncflow:error:" + refusal.code().code(),
        refusal.code().title(),
        refusal.httpStatus(),
        refusal.message(),
        path.length() <= MAX_INSTANCE ? path : path.substring(0, MAX_INSTANCE),
        traceId,
        refusal.code().retryable(),
        refusal.errors(),
        refusal.outcomeUnknown() ? true : null,
        ground(refusal, "needs"),
        ground(refusal, "scope"),
        ground(refusal, "error"));
  }

  private static String ground(ApiError refusal, String member) {
    return refusal.ground() == null ? null : refusal.ground().ground(member);
  }
}
