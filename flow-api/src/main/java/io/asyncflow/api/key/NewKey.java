package io.asyncflow.api.key;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.asyncflow.api.RecordCopy;
import java.util.List;
import java.util.Set;

/**
 * An access key to be made.
 *
 * @param name for people, at most 128 characters; no other live key may have it
 * @param roles {@code READER}, {@code SUBMITTER}, {@code WORKER}, {@code OPERATOR}, {@code ADMIN}
 * @param types the task types, and beginnings of types with a star; empty for all
 * @param stages the stages whose tasks it may hold; empty for all
 * @param users the users in whose name it may act, and beginnings with a star; empty for all
 * @param workerPrefix how its worker ids begin; {@code null} for any
 * @param expireDays days until it expires, 1 to 730; {@code null} for the server's default
 * @param rateLimit requests a second to each server, at most 1,000,000; {@code null} for no limit
 * @param certSan the URI or DNS name that the TLS certificate of its client must have; {@code null}
 *     if it needs none
 * @param notBefore epoch ms, from when on it is live; {@code null} for at once
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record NewKey(
    String name,
    Set<String> roles,
    List<String> types,
    List<String> stages,
    List<String> users,
    String workerPrefix,
    Integer expireDays,
    Integer rateLimit,
    String certSan,
    Long notBefore) {

  public NewKey {
    roles = Set.copyOf(roles);
    types = List.copyOf(types);
    stages = List.copyOf(stages);
    users = List.copyOf(users);
  }

  /** A key with these roles everywhere. */
  public static NewKey of(String name, String... roles) {
    return new NewKey(
        name, Set.of(roles), List.of(), List.of(), List.of(), null, null, null, null, null);
  }

  /** The same for these types alone. */
  public NewKey ofTypes(String... wanted) {
    return with("types", List.of(wanted));
  }

  /** The same for these stages alone. */
  public NewKey ofStages(String... wanted) {
    return with("stages", List.of(wanted));
  }

  /** The same for these users alone. */
  public NewKey ofUsers(String... wanted) {
    return with("users", List.of(wanted));
  }

  /** The same for workers alone whose ids begin so. */
  public NewKey ofWorkers(String prefix) {
    return with("workerPrefix", prefix);
  }

  /** The same, for so many days. */
  public NewKey forDays(int days) {
    return with("expireDays", days);
  }

  /** The same, with so many requests a second to each server. */
  public NewKey atMost(int requestsPerSecond) {
    return with("rateLimit", requestsPerSecond);
  }

  /** The same for clients alone whose certificate has this URI or DNS name. */
  public NewKey withCertificate(String san) {
    return with("certSan", san);
  }

  /**
   * The same, from this time on.
   *
   * @param begin epoch ms
   */
  public NewKey from(long begin) {
    return with("notBefore", begin);
  }

  private NewKey with(String component, Object value) {
    return RecordCopy.with(this, component, value);
  }
}
