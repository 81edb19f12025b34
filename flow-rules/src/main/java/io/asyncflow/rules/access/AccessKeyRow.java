package io.asyncflow.rules.access;

import io.asyncflow.api.key.KeyState;
import java.util.Arrays;
import java.util.List;

/**
 * A row of {@code t_access_key} without its seal, its text columns as they are stored. Immutable:
 * the hash is not to be changed.
 *
 * @param name for people
 * @param hash of the secret
 * @param createdBy the principal that made it
 * @param createTime epoch ms
 */
public record AccessKeyRow(
    String id,
    String name,
    byte[] hash,
    Rights rights,
    Limits limits,
    String createdBy,
    long createTime,
    End end) {

  /** The patterns of a column that allows everything. */
  public static final String ALL = "*";

  /**
   * What the key allows.
   *
   * @param roles names with commas
   * @param types names and beginnings with commas; {@code *} for all
   * @param stages a JSON list; {@code *} for all
   * @param users a JSON list; {@code *} for all
   * @param workerPrefix empty for any
   */
  public record Rights(
      String roles, String types, String stages, String users, String workerPrefix) {

    /** Roles without a scope. */
    public static Rights everywhere(String roles) {
      return new Rights(roles, ALL, ALL, ALL, "");
    }
  }

  /**
   * When and how the key may be used.
   *
   * @param certSan the {@link CertificateName} that its clients prove; {@code null} if they need
   *     none
   * @param rate requests a second and server; 0 for no limit
   * @param notBefore epoch ms; it is not live before
   */
  public record Limits(String certSan, int rate, long notBefore) {

    static final Limits NONE = new Limits(null, 0, 0);
  }

  /**
   * What ends the key.
   *
   * @param expireTime epoch ms
   * @param revokeTime epoch ms; {@code null} if it is not revoked
   * @param revokeReason {@code null} if it is not revoked
   * @param replacedBy the id of the key that a rotation made; {@code null} if there was none
   */
  public record End(long expireTime, Long revokeTime, String revokeReason, String replacedBy) {}

  /** A new key without limits, live at once. */
  public static AccessKeyRow of(
      AccessKey key,
      String name,
      Rights rights,
      String createdBy,
      long createTime,
      long expireTime) {
    return new AccessKeyRow(
        key.id(),
        name,
        key.hash(),
        rights,
        Limits.NONE,
        createdBy,
        createTime,
        new End(expireTime, null, null, null));
  }

  /** The same, with these limits. */
  public AccessKeyRow limited(Limits other) {
    return new AccessKeyRow(id, name, hash, rights, other, createdBy, createTime, end);
  }

  /** The same, revoked. */
  public AccessKeyRow revoked(long time, String reason) {
    return ending(new End(end.expireTime, time, reason, end.replacedBy));
  }

  /** The same, with another key in its place from this time on at the latest. */
  public AccessKeyRow replaced(String successor, long expiry) {
    return ending(
        new End(Math.min(end.expireTime, expiry), end.revokeTime, end.revokeReason, successor));
  }

  private AccessKeyRow ending(End other) {
    return new AccessKeyRow(id, name, hash, rights, limits, createdBy, createTime, other);
  }

  /** All columns, in the order in which the seal covers them. */
  public List<Object> columns() {
    return Arrays.asList(
        id,
        name,
        hash,
        rights.roles,
        rights.types,
        rights.stages,
        rights.users,
        rights.workerPrefix,
        createdBy,
        createTime,
        end.expireTime,
        end.revokeTime,
        end.revokeReason,
        end.replacedBy,
        limits.certSan,
        limits.rate,
        limits.notBefore);
  }

  public boolean isRevoked() {
    return end.revokeTime != null;
  }

  /** Whether another key has taken its place. */
  public boolean isReplaced() {
    return end.replacedBy != null;
  }

  public long expireTime() {
    return end.expireTime;
  }

  /** Its state at this time, if a server has written the row. */
  public KeyState state(long now) {
    if (isRevoked()) {
      return KeyState.REVOKED;
    }
    if (end.expireTime <= now) {
      return KeyState.EXPIRED;
    }
    return limits.notBefore <= now ? KeyState.ACTIVE : KeyState.PENDING;
  }

  /** Whether it has expired or was revoked at this time. */
  public boolean hasEnded(long now) {
    return isRevoked() || end.expireTime <= now;
  }

  /** Whether it has begun and not ended at this time. */
  public boolean isLive(long now) {
    return state(now) == KeyState.ACTIVE;
  }

  /** For how long it was made. */
  public long life() {
    return end.expireTime - Math.max(createTime, limits.notBefore);
  }

  /** Without the hash. */
  @Override
  public String toString() {
    return "AccessKeyRow[id=" + id + ", name=" + name + "]";
  }
}
