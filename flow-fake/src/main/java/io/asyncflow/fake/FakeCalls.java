package io.asyncflow.fake;

import io.asyncflow.api.Call;
import io.asyncflow.api.Transport;
import io.asyncflow.rules.field.SentFields;
import io.asyncflow.rules.field.TaskFields;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The calls that a {@link FakeFlowServer} answers, by their paths. The parts of the server add
 * theirs. An answer is what the client returns, not what is JSON.
 */
final class FakeCalls implements Transport {

  private final FakeFlowServer server;
  private final Map<String, Function<Call<?>, Object>> answers = new ConcurrentHashMap<>();

  FakeCalls(FakeFlowServer server) {
    this.server = server;
  }

  /** What answers the calls to a path. */
  FakeCalls answer(String path, Function<Call<?>, Object> answer) {
    answers.put(path, answer);
    return this;
  }

  Set<String> paths() {
    return Set.copyOf(answers.keySet());
  }

  /** A call that has no effect, answered under the lock of the server. */
  FakeCalls read(String path, Function<SentFields, Object> answer) {
    return answer(path, call -> locked(() -> answer.apply(fieldsOf(call))));
  }

  /** A call that has an effect: its answer may get lost. */
  FakeCalls write(String path, Function<SentFields, Object> answer) {
    return read(path, in -> lost(answer.apply(in)));
  }

  /** A call by hand that has no result. What it says of itself is only checked. */
  FakeCalls act(String path, Consumer<SentFields> act) {
    return write(
        path,
        in -> {
          act.accept(acted(in));
          return null;
        });
  }

  /** The answer of a call that has taken effect, unless it gets lost. */
  Object lost(Object answer) {
    server.faults.after();
    return answer;
  }

  /** What an act says of itself, checked. */
  static SentFields acted(SentFields in) {
    TaskFields.operator(in);
    TaskFields.reason(in);
    return in;
  }

  /** Gives the answer of a call. */
  interface Answering {
    Object answer();
  }

  /** Answers a call under the lock of the server; it fails while the server is down. */
  Object locked(Answering call) {
    synchronized (server) {
      server.faults.before();
      return call.answer();
    }
  }

  /** The fields of a call, which are read as the server reads its JSON. */
  SentFields fieldsOf(Call<?> call) {
    SentFields in = server.sent().withAll(call.body());
    call.fields().forEach(in::with);
    return in;
  }

  /**
   * @throws UnsupportedOperationException if nothing answers such a call
   */
  @Override
  @SuppressWarnings("unchecked") // each path is answered what its client returns
  public <T> T send(Call<T> call) {
    Function<Call<?>, Object> answer = answers.get(call.path());
    if (answer == null) {
      throw new UnsupportedOperationException(
          "FakeFlowServer does not answer "
              + call.path()
              + ": answer it in the test, by withAnswer, or use a server, as ./asyncflow dev starts"
              + " one");
    }
    return (T) answer.apply(call);
  }
}
