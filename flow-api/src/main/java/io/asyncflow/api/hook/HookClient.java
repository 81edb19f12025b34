package io.asyncflow.api.hook;

import io.asyncflow.api.Answer;
import io.asyncflow.api.Call;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Transport;
import java.util.List;

/**
 * The calls of flowsvr's contract about hooks; see {@link FlowClient} for the exceptions. Every
 * call that names a hook throws a {@link FlowException} with {@link ErrorCode#NO_SUCH_HOOK} if
 * there is none. Thread-safe.
 *
 * @param transport sends the calls
 */
public record HookClient(Transport transport) {

  private static final Answer<List<Hook>> HOOKS = Answer.of(Hooks.class, Hooks::hookList);
  private static final Answer<String> TESTED = Answer.of(Tested.class, Tested::taskId);

  private record Hooks(List<Hook> hookList) {}

  private record Tested(String taskId) {}

  /**
   * Creates or changes the hook of this name.
   *
   * @param operator recorded with the act, at most 128 characters; {@code null} for none
   * @param reason recorded with the act, at most 1,000 characters; {@code null} for none
   * @return with the secret if the hook is new
   * @throws FlowException with {@link ErrorCode#INVALID_INPUT} if the servers do not allow the URL
   */
  public SavedHook save(NewHook hook, String operator, String reason) {
    return transport.send(
        Call.to("/api/hook/save", SavedHook.class)
            .with("name", hook.name())
            .with("url", hook.url())
            .with("taskTypes", hook.taskTypes())
            .with("kinds", hook.kinds())
            .with("state", hook.state())
            .by(operator, reason));
  }

  /** Saves a hook without an operator and a reason. */
  public SavedHook save(NewHook hook) {
    return save(hook, null, null);
  }

  /** All hooks. */
  public List<Hook> list() {
    return transport.send(Call.to("/api/hook/list", HOOKS));
  }

  /**
   * Sends a test to the URL of a hook.
   *
   * @return the id of the task that delivers it
   * @throws FlowException with {@link ErrorCode#TRANSITION_NOT_ALLOWED} if the hook is not active
   */
  public String test(String name) {
    return transport.send(Call.to("/api/hook/test", TESTED).with("name", name));
  }

  /**
   * Gives a hook a new secret. The one before signs beside it for 24 hours.
   *
   * @param operator recorded with the act, at most 128 characters; {@code null} for none
   * @param reason recorded with the act, at most 1,000 characters; {@code null} for none
   */
  public SavedHook rotate(String name, String operator, String reason) {
    return transport.send(
        Call.to("/api/hook/rotate", SavedHook.class).with("name", name).by(operator, reason));
  }

  /** Rotates the secret of a hook without an operator and a reason. */
  public SavedHook rotate(String name) {
    return rotate(name, null, null);
  }

  /**
   * Deletes a hook. Its deliveries that have not ended fail.
   *
   * @param operator recorded with the act, at most 128 characters; {@code null} for none
   * @param reason recorded with the act, at most 1,000 characters; {@code null} for none
   */
  public void delete(String name, String operator, String reason) {
    transport.send(Call.to("/api/hook/delete").with("name", name).by(operator, reason));
  }

  /** Deletes a hook without an operator and a reason. */
  public void delete(String name) {
    delete(name, null, null);
  }
}
