package io.asyncflow.api.hook;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import java.util.List;

/**
 * The calls of flowsvr's contract about hooks; see {@link FlowClient} for the exceptions. Every
 * call that names a hook throws a {@link FlowException} with {@link ErrorCode#NO_SUCH_HOOK} if
 * there is none. Implementations are thread-safe.
 */
public interface HookClient {

  /**
   * Creates or changes the hook of this name.
   *
   * @param operator recorded with the act, at most 128 characters; {@code null} for none
   * @param reason recorded with the act, at most 1,000 characters; {@code null} for none
   * @return with the secret if the hook is new
   * @throws FlowException with {@link ErrorCode#INVALID_INPUT} if the servers do not allow the URL
   */
  SavedHook save(NewHook hook, String operator, String reason);

  /** Saves a hook without an operator and a reason. */
  default SavedHook save(NewHook hook) {
    return save(hook, null, null);
  }

  /** All hooks. */
  List<Hook> list();

  /**
   * Sends a test to the URL of a hook.
   *
   * @return the id of the task that delivers it
   * @throws FlowException with {@link ErrorCode#TRANSITION_NOT_ALLOWED} if the hook is not active
   */
  String test(String name);

  /**
   * Gives a hook a new secret. The one before signs beside it for 24 hours.
   *
   * @param operator recorded with the act, at most 128 characters; {@code null} for none
   * @param reason recorded with the act, at most 1,000 characters; {@code null} for none
   */
  SavedHook rotate(String name, String operator, String reason);

  /** Rotates the secret of a hook without an operator and a reason. */
  default SavedHook rotate(String name) {
    return rotate(name, null, null);
  }

  /**
   * Deletes a hook. Its deliveries that have not ended fail.
   *
   * @param operator recorded with the act, at most 128 characters; {@code null} for none
   * @param reason recorded with the act, at most 1,000 characters; {@code null} for none
   */
  void delete(String name, String operator, String reason);

  /** Deletes a hook without an operator and a reason. */
  default void delete(String name) {
    delete(name, null, null);
  }
}
