package io.asyncflow.dev.environment;

import io.asyncflow.api.key.IssuedKey;
import io.asyncflow.api.key.NewKey;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import io.asyncflow.rules.access.AccessKey;
import io.asyncflow.rules.access.AccessKeyRow;
import io.asyncflow.rules.access.AccessKeyRow.Limits;
import io.asyncflow.rules.access.AccessKeyRow.Rights;
import io.asyncflow.rules.access.CertificateName;
import io.asyncflow.rules.access.KeySeals;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * ADMIN keys that are written into the database without a server: the first one, and one after all
 * others were lost. Whoever can do so owns the database, and so has everything anyway.
 */
public final class DirectKeys {
  private static final String PEPPER = "FLOW_KEY_PEPPER";
  private static final String PRINCIPAL = "cli:direct";

  private final DirectDatabase database;
  private final KeySeals seals;

  /**
   * @param environment as a server has it: with the database, and the pepper if there is one
   * @throws UsageException if the environment names no database, or its pepper is none
   * @throws DevException if a file with a secret cannot be read
   */
  public DirectKeys(Map<String, String> environment) {
    this.database = new DirectDatabase(environment, "--direct");
    try {
      seals = KeySeals.of(Secret.in(environment, PEPPER));
    } catch (IllegalArgumentException e) {
      throw new UsageException(PEPPER + " must be " + e.getMessage() + ".");
    }
  }

  /**
   * Makes a key for everything.
   *
   * @param wanted its name and its limits; nothing else of it is looked at
   * @throws UsageException if a limit is none
   * @throws DevException if a live key has the name, or the database does not do it
   */
  public IssuedKey create(NewKey wanted, Duration life) {
    NewKey limited = refuseBadLimits(wanted);
    try (Connection connection = database.connect()) {
      IssuedKey key = create(connection, limited, life);
      connection.commit();
      return key;
    } catch (SQLException e) {
      throw DirectDatabase.failure(
          e,
          "The database has no table of access keys yet: start a flowsvr on it once, which makes"
              + " the tables.",
          "The database did not take the key");
    }
  }

  private static NewKey refuseBadLimits(NewKey wanted) {
    if (wanted.rateLimit() != null && wanted.rateLimit() < 1) {
      throw new UsageException("--rate-limit wants at least 1, not " + wanted.rateLimit() + ".");
    }
    return wanted.certSan() == null
        ? wanted
        : CertificateName.parse(wanted.certSan())
            .map(wanted::withCertificate)
            .orElseThrow(
                () ->
                    new UsageException(
                        "--cert-san wants a URI, or a DNS name without a star, not "
                            + wanted.certSan()
                            + "."));
  }

  private IssuedKey create(Connection database, NewKey wanted, Duration life) throws SQLException {
    // First, as servers do: so changes of keys follow one another.
    DirectDatabase.update(
        database, "UPDATE t_access_version SET version = version + 1 WHERE one = 1");
    long now = DirectDatabase.number(database, "SELECT " + DirectDatabase.NOW_MS);
    refuseIfTaken(database, wanted, now);
    long begin = wanted.notBefore() == null ? now : Math.max(now, wanted.notBefore());
    AccessKey key = AccessKey.random();
    int rate = wanted.rateLimit() == null ? 0 : wanted.rateLimit();
    AccessKeyRow row =
        AccessKeyRow.of(
                key,
                wanted.name(),
                Rights.everywhere("ADMIN"),
                PRINCIPAL,
                now,
                begin + life.toMillis())
            .limited(new Limits(wanted.certSan(), rate, begin > now ? begin : 0));
    List<Object> values = new ArrayList<>(row.columns());
    values.add(seals.seal(row.columns()));
    DirectDatabase.update(
        database,
        """
        INSERT INTO t_access_key (key_id, name, key_hash, roles, types, stages, users,
          worker_prefix, created_by, create_time, expire_time, revoke_time, revoke_reason,
          replaced_by, cert_san, rate_limit, not_before, seal)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        values.toArray());
    DirectDatabase.update(
        database,
        "INSERT INTO t_act (act_time, act, object, actor, source) VALUES (?, 'CREATE', ?, ?,"
            + " 'cli')",
        now,
        "key:" + row.id(),
        PRINCIPAL);
    return new IssuedKey(row.id(), key.text(), row.expireTime());
  }

  private static void refuseIfTaken(Connection database, NewKey wanted, long now)
      throws SQLException {
    long taken =
        DirectDatabase.number(
            database,
            """
            SELECT COUNT(*)
            FROM t_access_key
            WHERE (name = ? OR cert_san = ?)
              AND revoke_time IS NULL
              AND replaced_by IS NULL
              AND expire_time > ?
            """,
            wanted.name(),
            wanted.certSan(),
            now);
    if (taken > 0) {
      throw new DevException(
          "A live key has the name "
              + wanted.name()
              + ", or the name of the certificate: revoke it, or choose another name.");
    }
  }

  /** Without the secrets. */
  @Override
  public String toString() {
    return "DirectKeys[]";
  }
}
