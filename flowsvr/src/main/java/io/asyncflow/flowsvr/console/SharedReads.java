package io.asyncflow.flowsvr.console;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Role;
import io.asyncflow.flowsvr.access.Scope;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.system.Node;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;

/**
 * What pages have read lately, for all that ask for the same with the same rights. They all get the
 * same tree, which nobody changes, so a large answer is parsed once. Thread-safe.
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

  /** Of a tree, for each byte of its text. */
  private static final int TREE_BYTES = 6;

  /** Of an entry, whatever it answers; so it bounds their number. */
  private static final int ENTRY_BYTES = 1_024;

  /** As long as the slowest reads may take. */
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final AsyncCache<Asked, Answer> answers;

  SharedReads(Node node) {
    this.answers =
        Caffeine.newBuilder()
            .maximumWeight(MOST_BYTES)
            .weigher(
                (Asked asked, Answer answer) ->
                    (int) Math.min(MOST_BYTES + 1, ENTRY_BYTES + TREE_BYTES * answer.bytes()))
            .expireAfter(Expiry.writing((Asked asked, Answer answer) -> freshFor(asked)))
            .ticker(node::nanoTime)
            .buildAsync();
  }

  private static Duration freshFor(Asked asked) {
    return RECORDS.contains(asked.path()) ? FRESH_RECORD : FRESH;
  }

  /**
   * A call and what its answer depends on.
   *
   * @param fields as they were given
   */
  record Asked(String path, Map<String, ?> fields, Set<Role> roles, Set<Verb> verbs, Scope scope) {

    static Asked of(String path, Map<String, ?> fields, Caller caller) {
      Map<String, Object> given = new HashMap<>(fields);
      given.values().removeIf(Objects::isNull);
      return new Asked(path, given, caller.roles(), caller.verbs(), caller.scope());
    }
  }

  /**
   * What a call has answered.
   *
   * @param bytes of its text
   */
  record Answer(JsonNode tree, long bytes) {}

  /**
   * The answer to a call that was read lately, or is being read; otherwise it is read now.
   *
   * @throws FlowException what the call throws, for all that wait for it
   */
  Answer find(Asked asked, Supplier<Answer> read) {
    CompletableFuture<Answer> own = new CompletableFuture<>();
    CompletableFuture<Answer> other = answers.asMap().putIfAbsent(asked, own);
    return other == null ? read(own, read) : await(other);
  }

  /** Reads anew, and lets others have it. */
  Answer renew(Asked asked, Supplier<Answer> read) {
    CompletableFuture<Answer> own = new CompletableFuture<>();
    answers.put(asked, own);
    return read(own, read);
  }

  private static Answer read(CompletableFuture<Answer> own, Supplier<Answer> read) {
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
      return other.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw new FlowException(ErrorCode.LIMIT_EXCEEDED, "the database needs too long for this");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FlowException(ErrorCode.UNAVAILABLE, "the server is stopping");
    }
  }

  /** After an act, nothing that was read before it is shown. */
  void forgetAll() {
    answers.synchronous().invalidateAll();
  }
}
