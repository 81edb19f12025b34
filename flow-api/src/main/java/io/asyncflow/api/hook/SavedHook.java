package io.asyncflow.api.hook;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The answer to a call that saves a hook or its secret.
 *
 * @param secret signs the deliveries; {@code null} if the hook has kept its secret
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SavedHook(String hookId, String secret) {

  /** Without the secret, because texts of records get into logs. */
  @Override
  public String toString() {
    return "SavedHook[hookId=" + hookId + "]";
  }
}
