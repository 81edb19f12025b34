package io.asyncflow.flowsvr.front.console;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import io.asyncflow.api.Call;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.Scope;
import io.asyncflow.flowsvr.edge.access.Verb;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * What pages have read lately, for all that ask for the same with the same rights. They all get the
 * same records, so a large answer is read once. Thread-safe.
 */
@Component
class SharedReads {

  /**
   * Two requests of an open page are two seconds apart, so a page is late by five seconds at most.
   */
  private static final Duration FRESH = Duration.ofSeconds(3);

  /**
   * What has happened to a task, beside its status; how full the store is; and what workers and
   * servers have told the database, which they do every ten seconds. Nothing of it is in a hurry.
   */
  private static final Set<String> RECORDS =
      Set.of(
          "/api/task/history",
          "/api/task/getActs",
          "/api/store/list",
          "/api/store/usage",
          "/api/worker/list",
          "/api/governance/status");

  private static final Duration FRESH_RECORD = Duration.ofSeconds(6);

  private static final long MOST_BYTES = 64L * 1024 * 1024;

  /** Of a record, for each byte of its JSON. */
  private static final int RECORD_BYTES = 6;

  /** Of an entry, whatever it answers; so it bounds their number. */
  private static final int ENTRY_BYTES = 1_024;

  /** As long as the slowest reads may take. */
  private static final int PATIENCE_SECONDS = 3;

  private final AsyncCache<Question, Answer> answers;

  SharedReads(Node node) {
    this.answers =
        Caffeine.newBuilder()
            .maximumWeight(MOST_BYTES)
            .weigher((Question question, Answer answer) -> answer.weight())
            .expireAfter(Expiry.writing((Question question, Answer answer) -> question.fresh()))
            .ticker(node::nanoTime)
            .buildAsync();
  }

  /** A call and what its answer depends on. */
  record Question(Call<?> call, Set<Role> roles, Set<Verb> verbs, Scope scope) {

    static Question of(Call<?> call, Caller caller) {
      return new Question(call, caller.roles(), caller.verbs(), caller.scope());
    }

    private Duration fresh() {
      return RECORDS.contains(call.path()) ? FRESH_RECORD : FRESH;
    }
  }

  /**
   * What a call has answered.
   *
   * @param bytes of its JSON
   */
  record Answer(Object value, long bytes) {

    private int weight() {
      return (int) Math.min(MOST_BYTES + 1, ENTRY_BYTES + RECORD_BYTES * bytes);
    }
  }

  /**
   * The answer to a call that was read lately, or is being read; otherwise it is read now.
   *
   * @param isAnew whether it is read now in any case, and others have it
   * @throws FlowException what the call throws, for all that wait for it
   */
  Answer find(Question question, Supplier<Answer> read, boolean isAnew) {
    CompletableFuture<Answer> own = new CompletableFuture<>();
    CompletableFuture<Answer> other = isAnew ? null : answers.asMap().putIfAbsent(question, own);
    if (other != null) {
      return await(other);
    }
    if (isAnew) {
      answers.put(question, own);
    }
    try {
      Answer answer = read.get();
      own.complete(answer);
      return answer;
    } catch (RuntimeException | Error e) {
      own.completeExceptionally(e); // which takes it out
      throw e;
    }
  }

  private static Answer await(CompletableFuture<Answer> other) {
    try {
      return other.copy().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new FlowException(ErrorCode.LIMIT_EXCEEDED, "the database needs too long for this");
    }
  }

  /** After an act, nothing that was read before it is shown. */
  void forgetAll() {
    answers.synchronous().invalidateAll();
  }
}
