package io.asyncflow.flowsvr.edge.access.key;

import io.asyncflow.flowsvr.base.system.BadSettingException;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.base.system.db.DatabaseWatch;
import io.asyncflow.flowsvr.base.system.redis.ClusterEvent;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.key.AccessKeyStore.Version;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.edge.web.load.OpenCalls;
import io.asyncflow.rules.access.AccessKey;
import io.asyncflow.rules.access.KeySeals;
import jakarta.annotation.PostConstruct;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** The access keys, as this server knows them. Only in mode {@code keys}. Thread-safe. */
@Component
@ConditionalOnProperty(name = "flow.access.mode", havingValue = "keys")
public class KnownKeys {

  private static final Logger log = LoggerFactory.getLogger(KnownKeys.class);
  private static final Duration REFRESH = Duration.ofSeconds(3);

  /** How long a key that has ended is known, so that its owner is told why it is refused. */
  public static final Duration REMEMBERED = Duration.ofDays(30);

  private static final long EARLY_LOOK_PAUSE = Duration.ofSeconds(1).toNanos();

  /** How long, and how many, requests with unknown keys wait for a look that another one began. */
  private static final long PATIENCE_MS = 500;

  private static final int MOST_WAITING = 16;

  /** Once a minute the keys are read whatever their version. */
  private static final int POLLS_PER_READ = 20;

  private final AccessKeyStore store;
  private final KeySeals seals;
  private final OpenCalls calls;
  private final DatabaseWatch database;
  private final Acts acts;
  private final Node node;
  private final boolean hasEnvironmentKey;
  private final KeyCheck check = new KeyCheck();
  private final ReentrantLock reading = new ReentrantLock();
  private volatile KeySnapshot snapshot = KeySnapshot.NOTHING;
  private volatile Clock clock;
  private volatile long lastEarlyLook;
  private int polls;
  private final Set<String> recorded = new HashSet<>();
  private final BackgroundLoop loop = new BackgroundLoop("access-keys", REFRESH, this::poll);

  /** The database's clock: its time at a moment of this server's monotonic clock. */
  private record Clock(long databaseMs, long nanos) {}

  KnownKeys(
      AccessKeyStore store,
      KeySeals seals,
      OpenCalls calls,
      DatabaseWatch database,
      Acts acts,
      Node node,
      @Value("${flow.access.api-key:}") String environmentKey) {
    this.store = store;
    this.seals = seals;
    this.calls = calls;
    this.database = database;
    this.acts = acts;
    this.node = node;
    this.hasEnvironmentKey = !environmentKey.isBlank();
    this.lastEarlyLook = node.nanoTime() - EARLY_LOOK_PAUSE;
  }

  @Bean
  static ClusterEvent.Kind accessNews() {
    return new ClusterEvent.Kind("access", new AccessKeysChanged(true));
  }

  @Bean
  BackgroundLoop accessKeysLoop() {
    return loop;
  }

  /**
   * Reads all keys, and gives them the seals of now.
   *
   * @throws BadSettingException if nobody could ever make a key
   */
  @PostConstruct
  void load() {
    store.all().stream()
        .filter(key -> key.isGood(seals) && !seals.isCurrent(key.row().columns(), key.seal()))
        .forEach(store::reseal);
    refresh(true);
    warn();
    if (!hasEnvironmentKey && !snapshot.hasAdmin(now())) {
      throw new BadSettingException(
          "FLOW_ACCESS is keys, and there is neither a live ADMIN key without a scope nor a"
              + " FLOW_API_KEY, so no key could be made. Make one with: ./asyncflow key create NAME"
              + " --role ADMIN --direct (with FLOW_MYSQL_URL, FLOW_MYSQL_USER, FLOW_MYSQL_PASSWORD,"
              + " and FLOW_KEY_PEPPER where it is set), or set FLOW_API_KEY.");
    }
  }

  private void warn() {
    if (hasEnvironmentKey) {
      log.warn("FLOW_API_KEY is set beside the access keys, and permits everything: break-glass");
    }
    if (!seals.isOn()) {
      log.warn(
          "without FLOW_KEY_PEPPER access keys have no seals: a row that is written into"
              + " t_access_key by SQL is a valid key");
    }
  }

  /**
   * The caller that a bearer token proves, or without one the certificate of the client; {@code
   * null} if there is none.
   *
   * @param token {@code null} if the request has none
   * @param certificate the names in the certificate
   * @throws KeyRefusedException if it is a key of ours that does not count
   */
  public Caller find(String token, Supplier<List<String>> certificate) {
    if (token == null) {
      long now = now();
      KnownKey known = snapshot.findCertified(certificate.get(), now);
      return known == null ? null : check.checkCertified(known, now);
    }
    return AccessKey.parse(token).map(sent -> find(sent, certificate)).orElse(null);
  }

  private Caller find(AccessKey sent, Supplier<List<String>> certificate) {
    KnownKey known = known(sent.id());
    return check.check(sent, known, certificate, now());
  }

  /** {@code null} if there is none, or it was not looked for. */
  private KnownKey known(String id) {
    KnownKey known = snapshot.find(id);
    if (known == null) {
      lookEarly(id);
      known = snapshot.find(id);
    }
    return known;
  }

  /**
   * The caller of a key that is live, for work that goes on after its request; empty if there is
   * none.
   */
  public Optional<Caller> live(String keyId) {
    KnownKey known = known(keyId);
    long now = now();
    if (known == null || !known.row().isLive(now)) {
      return Optional.empty();
    }
    known.use().note(now);
    return Optional.of(known.caller());
  }

  /** Whether this server knows the key, and it counts only with a certificate. */
  public boolean needsCertificate(String keyId) {
    KnownKey known = snapshot.find(keyId);
    return known != null && known.row().limits().certSan() != null;
  }

  /**
   * Looks whether there are new keys, once a second at most. Requests that come meanwhile wait for
   * the outcome, but not many: anybody can make up well-formed keys.
   */
  private void lookEarly(String id) {
    boolean mayHelp = isPauseOver() || reading.isLocked();
    if (!mayHelp || !database.isUp() || reading.getQueueLength() >= MOST_WAITING) {
      return;
    }
    try {
      if (!reading.tryLock(PATIENCE_MS, TimeUnit.MILLISECONDS)) {
        return;
      }
      try {
        if (isPauseOver() && snapshot.find(id) == null) {
          lastEarlyLook = node.nanoTime();
          read(false);
        }
      } finally {
        reading.unlock();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      log.debug("no early look at the access keys: {}", e.toString());
    }
  }

  private boolean isPauseOver() {
    return node.nanoTime() - lastEarlyLook >= EARLY_LOOK_PAUSE;
  }

  /** A key was changed, here or by another server. What this server did counts at once. */
  @EventListener
  void on(AccessKeysChanged news) {
    if (news.isFromAfar()) {
      loop.runSoon();
    } else {
      refresh(true);
    }
  }

  /** Called by one thread. A database that was restored may have the version that is known here. */
  void poll() {
    polls++;
    refresh(polls % POLLS_PER_READ == 0);
  }

  /**
   * Reads the keys, and records the rows that SQL has changed.
   *
   * @param always whether to read them if their version has not changed, too
   */
  void refresh(boolean always) {
    read(always);
    recordChanged();
  }

  /** Reads the version, and if need be the keys; ends the calls of those that ended. */
  private void read(boolean always) {
    reading.lock();
    try {
      long asked = node.nanoTime();
      Version version = store.version();
      clock = new Clock(version.now(), asked);
      if (always || version.number() != snapshot.version()) {
        // Read after the version: what is changed in between is read again.
        long since = version.now() - REMEMBERED.toMillis();
        snapshot =
            snapshot.next(
                version.number(),
                store.notEndedBefore(since),
                store.denied("", Integer.MAX_VALUE),
                seals,
                node.nanoTime());
      }
      calls.setEnded(principal -> snapshot.hasEnded(principal, now()));
    } finally {
      reading.unlock();
    }
  }

  /** Whether a caller is refused now, although the issuer's tokens for it are good. */
  public boolean isDenied(String principal) {
    return snapshot.isDenied(principal, now());
  }

  /** Records once each row that SQL has changed, and again if the record of it has failed. */
  private synchronized void recordChanged() {
    Set<String> changed = snapshot.changed();
    recorded.retainAll(changed);
    for (String principal : changed) {
      if (!recorded.contains(principal)) {
        log.error(
            "{} is ignored: its row was changed without the pepper, or cannot be read: find out who"
                + " writes into the database",
            principal);
        acts.recordOwn(Act.of("IGNORE_KEY", principal).with(Map.of("server", node.id())));
        recorded.add(principal);
      }
    }
  }

  /** The database's clock as far as it is known here, epoch ms; needs no statement. */
  public long now() {
    Clock read = clock;
    return read.databaseMs() + TimeUnit.NANOSECONDS.toMillis(node.nanoTime() - read.nanos());
  }

  KeySnapshot snapshot() {
    return snapshot;
  }
}
