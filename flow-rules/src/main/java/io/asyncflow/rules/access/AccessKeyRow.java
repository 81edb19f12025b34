package io.asyncflow.rules.access;

import java.util.function.Consumer;

/**
 * A row of {@code t_access_key} without its seal, its text columns as they are stored. Immutable:
 * the hash is not to be changed.
 *
 * @param name for people
 * @param hash of the secret
 * @param roles names with commas
 * @param types names and beginnings with commas; {@code *} for all
 * @param stages a JSON list; {@code *} for all
 * @param users a JSON list; {@code *} for all
 * @param workerPrefix empty for any
 * @param createdBy the principal that made it
 * @param createTime epoch ms
 * @param expireTime epoch ms
 * @param revokeTime epoch ms; {@code null} if it is not revoked
 * @param revokeReason {@code null} if it is not revoked
 * @param replacedBy the id of the key that a rotation made; {@code null} if there was none
 * @param certSan the {@link CertificateName} that its clients prove; {@code null} if they need none
 * @param rateLimit requests a second and server; 0 for no limit
 * @param notBefore epoch ms; it is not live before
 */
public record AccessKeyRow(
    String id,
    String name,
    byte[] hash,
    String roles,
    String types,
    String stages,
    String users,
    String workerPrefix,
    String createdBy,
    long createTime,
    long expireTime,
    Long revokeTime,
    String revokeReason,
    String replacedBy,
    String certSan,
    int rateLimit,
    long notBefore) {

  /** The patterns of a column that allows everything. */
  public static final String ALL = "*";

  /** A new key without limits, live at once. */
  public static AccessKeyRow of(
      AccessKey key,
      String name,
      String roles,
      String types,
      String stages,
      String users,
      String workerPrefix,
      String createdBy,
      long createTime,
      long expireTime) {
    return new AccessKeyRow(
        key.id(),
        name,
        key.hash(),
        roles,
        types,
        stages,
        users,
        workerPrefix,
        createdBy,
        createTime,
        expireTime,
        null,
        null,
        null,
        null,
        0,
        0);
  }

  /** The same, with these limits. */
  public AccessKeyRow limited(String san, int rate, long begin) {
    return with(
        copy -> {
          copy.certSan = san;
          copy.rateLimit = rate;
          copy.notBefore = begin;
        });
  }

  /** The same, revoked. */
  public AccessKeyRow revoked(long time, String reason) {
    return with(
        copy -> {
          copy.revokeTime = time;
          copy.revokeReason = reason;
        });
  }

  /** The same, with another key in its place from this time on at the latest. */
  public AccessKeyRow replaced(String successor, long expiry) {
    return with(
        copy -> {
          copy.expireTime = Math.min(expireTime, expiry);
          copy.replacedBy = successor;
        });
  }

  private AccessKeyRow with(Consumer<Copy> change) {
    Copy copy = new Copy();
    change.accept(copy);
    return new AccessKeyRow(
        id,
        name,
        hash,
        roles,
        types,
        stages,
        users,
        workerPrefix,
        createdBy,
        createTime,
        copy.expireTime,
        copy.revokeTime,
        copy.revokeReason,
        copy.replacedBy,
        copy.certSan,
        copy.rateLimit,
        copy.notBefore);
  }

  /** The fields of this row that a copy may change. */
  private final class Copy {
    private long expireTime = AccessKeyRow.this.expireTime;
    private Long revokeTime = AccessKeyRow.this.revokeTime;
    private String revokeReason = AccessKeyRow.this.revokeReason;
    private String replacedBy = AccessKeyRow.this.replacedBy;
    private String certSan = AccessKeyRow.this.certSan;
    private int rateLimit = AccessKeyRow.this.rateLimit;
    private long notBefore = AccessKeyRow.this.notBefore;
  }

  public boolean isRevoked() {
    return revokeTime != null;
  }

  /** When it ends, epoch ms. */
  public long endTime() {
    return isRevoked() ? Math.min(revokeTime, expireTime) : expireTime;
  }

  /** Whether it has expired or was revoked at this time. */
  public boolean hasEnded(long now) {
    return isRevoked() || expireTime <= now;
  }

  /** Whether it has begun and not ended at this time. */
  public boolean isLive(long now) {
    return notBefore <= now && !hasEnded(now);
  }

  /** For how long it was made. */
  public long life() {
    return expireTime - Math.max(createTime, notBefore);
  }

  /** Without the hash. */
  @Override
  public String toString() {
    return "AccessKeyRow[id=" + id + ", name=" + name + "]";
  }
}
