package io.asyncflow.flowsvr.edge.access.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.EventStream;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HoldAnswer;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.event.EventFilter;
import io.asyncflow.api.event.FollowedEvent;
import io.asyncflow.api.key.IssuedKey;
import io.asyncflow.api.key.KeyState;
import io.asyncflow.api.key.ListedKey;
import io.asyncflow.api.key.Me;
import io.asyncflow.api.key.NewKey;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.environment.DirectKeys;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.dev.testing.TestServices;
import io.asyncflow.flowsvr.FlowServer;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.system.BadSettingException;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.queue.hold.OpenHolds;
import io.asyncflow.rules.access.AccessKey;
import io.asyncflow.rules.access.AccessKeyRow;
import io.asyncflow.rules.access.AccessKeyRow.Limits;
import io.asyncflow.rules.access.AccessKeyRow.Rights;
import io.asyncflow.rules.access.KeySeals;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Two servers in mode {@code keys} without Redis. Whatever is done at one of them counts at the
 * other.
 */
@Tag("contract")
@Timeout(120)
class KeysIT {

  /** What a revocation may take; the bound is generous for a busy machine. */
  private static final Duration SOON = Duration.ofSeconds(30);

  private static final String PEPPER = "a-pepper-that-no-database-knows";
  private static final String TYPE = "keyed";
  private static final AtomicInteger NAMES = new AtomicInteger();

  private static final DatabaseEndpoint DATABASE = TestServices.database();
  private static final String SCHEMA = TestServices.newSchema("keys");
  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "FLOW_MYSQL_URL",
          DATABASE.jdbcUrl(SCHEMA),
          "FLOW_MYSQL_USER",
          DATABASE.user(),
          "FLOW_MYSQL_PASSWORD",
          DATABASE.password(),
          "FLOW_KEY_PEPPER",
          PEPPER);

  private static String adminKey;
  private static ConfigurableApplicationContext one;
  private static ConfigurableApplicationContext other;
  private static HttpFlowClient toOne;
  private static HttpFlowClient toOther;

  @BeforeAll
  static void start() {
    Map<String, String> nowhere = new HashMap<>(ENVIRONMENT);
    nowhere.put("FLOW_MYSQL_URL", DATABASE.jdbcUrl("no_such_" + SCHEMA));
    assertThatExceptionOfType(DevException.class)
        .isThrownBy(() -> new DirectKeys(nowhere).create(NewKey.of("root"), Duration.ofDays(1)))
        .withMessageContaining("start a flowsvr on it once");
    DirectKeys direct = new DirectKeys(ENVIRONMENT);
    assertThatExceptionOfType(DevException.class)
        .isThrownBy(() -> direct.create(NewKey.of("root"), Duration.ofDays(1)))
        .withMessageContaining("start a flowsvr on it once");
    assertThatThrownBy(KeysIT::server)
        .as("without an ADMIN key")
        .hasRootCauseInstanceOf(BadSettingException.class);
    adminKey = direct.create(NewKey.of("root"), Duration.ofDays(1)).key();
    assertThatExceptionOfType(DevException.class)
        .isThrownBy(() -> direct.create(NewKey.of("root"), Duration.ofDays(1)))
        .withMessageContaining("A live key has the name root");
    one = server();
    other = server();
    toOne = clientOf(one);
    toOther = clientOf(other);
    at(one, adminKey).saveTaskType(TaskTypeSettings.named(TYPE));
  }

  @AfterAll
  static void stop() {
    for (ConfigurableApplicationContext server :
        new ConfigurableApplicationContext[] {one, other}) {
      if (server != null) {
        server.close();
      }
    }
    assertThat(Thread.getAllStackTraces().keySet())
        .as("threads of servers that are closed")
        .extracting(Thread::getName)
        .doesNotContain("access-keys");
  }

  private static ConfigurableApplicationContext server() {
    return new SpringApplication(FlowServer.class)
        .run(
            "--server.port=0",
            "--server.address=127.0.0.1",
            "--flow.access.address=127.0.0.1",
            "--flow.access.mode=keys",
            "--flow.access.pepper=" + PEPPER,
            "--flow.max-holds-per-key=3",
            "--flow.max-streams-per-key=2",
            "--flow.store.dir=" + RunningServer.STORE,
            "--spring.datasource.url=" + DATABASE.jdbcUrl(SCHEMA),
            "--spring.datasource.username=" + DATABASE.user(),
            "--spring.datasource.password=" + DATABASE.password());
  }

  private static FlowClient at(ConfigurableApplicationContext server, String key) {
    return (server == one ? toOne : toOther).withKeyFrom(() -> key);
  }

  private static HttpFlowClient clientOf(ConfigurableApplicationContext server) {
    String port = server.getEnvironment().getRequiredProperty("local.server.port");
    return new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null, Duration.ofSeconds(60));
  }

  private static IssuedKey created(String role, UnaryOperator<NewKey> scope) {
    return at(one, adminKey).keys().create(scope.apply(NewKey.of(newName(), role)));
  }

  private static IssuedKey created(String role) {
    return created(role, key -> key);
  }

  private static String newName() {
    return "key " + NAMES.incrementAndGet();
  }

  private static ListedKey listed(IssuedKey key) {
    return at(other, adminKey).keys().list(null).stream()
        .filter(each -> each.keyId().equals(key.keyId()))
        .findFirst()
        .orElseThrow();
  }

  private static void assertRefused(ErrorCode code, Runnable call) {
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(call::run)
        .extracting(FlowException::errorCode)
        .isEqualTo(code);
  }

  private static void awaitRefused(ErrorCode code, Runnable call) {
    await().atMost(SOON).untilAsserted(() -> assertRefused(code, call));
  }

  /** Seldom: an address has thirty refusals a minute, and all of these tests have one address. */
  private static void awaitKnown(FlowClient client) {
    await()
        .atMost(SOON)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofSeconds(1))
        .ignoreExceptions()
        .until(() -> client.keys().me() != null);
  }

  private static JdbcClient sql() {
    return one.getBean(JdbcClient.class);
  }

  @Test
  void newKeyWorksAtOnceAtTheOtherServer() {
    IssuedKey key = created("WORKER", made -> made.ofTypes("KEYED", "acme_*").ofWorkers("gpu-"));
    // An unknown key makes a server look early once a second, and this test is not the only one.
    awaitKnown(at(other, key.key()));
    Me me = at(other, key.key()).keys().me();
    assertThat(me.principal()).isEqualTo("key:" + key.keyId());
    assertThat(me.kind()).isEqualTo("KEY");
    assertThat(me.roles()).containsExactly("WORKER");
    assertThat(me.verbs()).contains("WORK_HOLD").doesNotContain("KEY_MANAGE");
    assertThat(me.types()).containsExactly("acme_*", "keyed");
    assertThat(me.stages()).containsExactly("*");
    assertThat(me.workerPrefix()).isEqualTo("gpu-");
    assertThat(me.expireTime()).isEqualTo(key.expireTime());
    ListedKey listed = listed(key);
    assertThat(listed.state()).isEqualTo(KeyState.ACTIVE);
    assertThat(listed.createdBy()).startsWith("key:");
    assertThat(listed.expireTime() - listed.createTime()).isEqualTo(Duration.ofDays(90).toMillis());
  }

  @Test
  void revocationEndsWhatIsUnderWayAtTheOtherServer() throws InterruptedException {
    IssuedKey worker = created("WORKER");
    IssuedKey reader = created("READER");
    FlowClient work = at(other, worker.key());
    FlowClient read = at(other, reader.key());
    awaitKnown(work);
    awaitKnown(read);
    CompletableFuture<HoldAnswer> hold =
        CompletableFuture.supplyAsync(
            () -> work.hold(new HoldRequest(TYPE, 1, "w-revoked", 30_000, null, null)),
            OtherThread::start);
    await()
        .atMost(SOON)
        .until(() -> other.getBean(OpenHolds.class).seenWorkers().contains("w-revoked"));
    try (EventStream<FollowedEvent> stream = read.events().open(EventFilter.ALL, null)) {
      CompletableFuture<Void> streaming =
          CompletableFuture.runAsync(() -> readOn(stream), OtherThread::start);
      long begin = System.nanoTime();
      at(one, adminKey).keys().revoke(worker.keyId(), "leaked");
      at(one, adminKey).keys().revoke(reader.keyId(), "leaked");

      Duration refused = since(begin, () -> awaitRefused(ErrorCode.KEY_ENDED, work.keys()::me));
      Duration held = since(begin, () -> await().atMost(SOON).until(hold::isDone));
      Duration streamed = since(begin, () -> await().atMost(SOON).until(streaming::isDone));
      streaming.join();
      System.out.printf(
          Locale.ROOT,
          "after a revocation, the other server refuses the key after %,d ms, its parked hold has"
              + " ended after %,d ms, and its stream after %,d ms%n",
          refused.toMillis(),
          held.toMillis(),
          streamed.toMillis());
    }
    assertThat(listed(worker).state()).isEqualTo(KeyState.REVOKED);
    assertThat(listed(worker).revokeReason()).isEqualTo("leaked");
    at(one, adminKey).keys().revoke(worker.keyId(), "again");
    assertThat(listed(worker).revokeReason()).isEqualTo("leaked");
    assertRefused(
        ErrorCode.TRANSITION_NOT_ALLOWED,
        () -> at(one, adminKey).keys().rotate(worker.keyId(), Duration.ZERO));
  }

  private static void readOn(EventStream<FollowedEvent> stream) {
    try {
      while (stream.next() != null) {
        // until it ends
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Duration since(long begin, Runnable awaiting) {
    awaiting.run();
    return Duration.ofNanos(System.nanoTime() - begin);
  }

  @Test
  void bothKeysOfARotationWorkUntilTheOverlapEnds() {
    IssuedKey old = created("READER", key -> key.ofTypes("keyed").forDays(10));
    IssuedKey next = at(one, adminKey).keys().rotate(old.keyId(), Duration.ofHours(1));
    assertThat(at(one, next.key()).keys().me().types()).containsExactly("keyed");
    assertThat(at(one, old.key()).keys().me().principal()).isEqualTo("key:" + old.keyId());
    ListedKey listed = listed(old);
    assertThat(listed.replacedBy()).isEqualTo(next.keyId());
    assertThat(listed.name()).isEqualTo(listed(next).name());
    assertThat(listed.expireTime())
        .isEqualTo(listed(next).createTime() + Duration.ofHours(1).toMillis());
    assertThat(next.expireTime() - listed(next).createTime())
        .isEqualTo(Duration.ofDays(10).toMillis());
    assertRefused(
        ErrorCode.TRANSITION_NOT_ALLOWED,
        () -> at(one, adminKey).keys().rotate(old.keyId(), Duration.ZERO));

    IssuedKey last = at(one, adminKey).keys().rotate(next.keyId(), Duration.ZERO);
    assertRefused(ErrorCode.KEY_ENDED, () -> at(one, next.key()).keys().me());
    assertThat(at(one, last.key()).keys().me()).isNotNull();
    awaitRefused(ErrorCode.KEY_ENDED, () -> at(other, next.key()).keys().me());
  }

  @Test
  void keyExpiresByTheClockOfTheDatabase() {
    IssuedKey key = created("READER");
    assertThat(at(one, key.key()).keys().me()).isNotNull();
    change(key, row -> row.replaced(null, row.createTime()));
    awaitRefused(ErrorCode.KEY_ENDED, () -> at(one, key.key()).keys().me());
    awaitRefused(ErrorCode.KEY_ENDED, () -> at(other, key.key()).keys().me());
    assertThat(listed(key).state()).isEqualTo(KeyState.EXPIRED);
  }

  /** Changes a key as a server does, with a good seal. */
  private static void change(IssuedKey key, UnaryOperator<AccessKeyRow> change) {
    AccessKeyStore store = one.getBean(AccessKeyStore.class);
    one.getBean(RetryingTransactions.class)
        .execute(
            () -> {
              store.beginChange();
              store.all().stream()
                  .map(AccessKeyStore.Stored::row)
                  .filter(row -> row.id().equals(key.keyId()))
                  .forEach(row -> store.update(change.apply(row)));
              return null;
            });
  }

  @Test
  void rightsThatWereWidenedBySqlCountForNothing() {
    IssuedKey key = created("READER");
    FlowClient client = at(one, key.key());
    assertRefused(ErrorCode.VERB_MISSING, () -> client.keys().list(null));
    sql()
        .sql("UPDATE t_access_key SET roles = 'ADMIN' WHERE key_id = ?")
        .param(key.keyId())
        .update();
    sql().sql("UPDATE t_access_version SET version = version + 1").update();

    awaitRefused(ErrorCode.NOT_AUTHENTICATED, () -> client.keys().list(null));
    assertThat(listed(key).state()).isEqualTo(KeyState.IGNORED);
    assertThat(listed(key).roles()).isEmpty();
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> assertThat(actsOn(key.keyId())).startsWith("CREATE").contains("IGNORE_KEY"));
    at(one, adminKey).keys().revoke(key.keyId(), "forged");
    assertThat(listed(key).state()).isEqualTo(KeyState.REVOKED);
  }

  @Test
  void nobodyGivesAwayWhatHeHasNot() {
    FlowClient scoped = at(one, created("ADMIN", key -> key.ofTypes("acme_*")).key());
    IssuedKey own = scoped.keys().create(NewKey.of(newName(), "WORKER").ofTypes("acme_tts"));
    assertRefused(
        ErrorCode.KEY_CONFLICT, () -> scoped.keys().create(NewKey.of(newName(), "READER")));
    assertRefused(
        ErrorCode.KEY_CONFLICT,
        () -> scoped.keys().create(NewKey.of(newName(), "READER").ofTypes("acme_tts", "keyed")));

    IssuedKey beyond = created("READER");
    assertThat(scoped.keys().list(null))
        .extracting(ListedKey::keyId)
        .contains(own.keyId())
        .doesNotContain(beyond.keyId());
    assertRefused(ErrorCode.NO_SUCH_KEY, () -> scoped.keys().revoke(beyond.keyId(), null));
    assertRefused(ErrorCode.NO_SUCH_KEY, () -> scoped.keys().rotate(beyond.keyId(), Duration.ZERO));
    scoped.keys().revoke(own.keyId(), null);
  }

  @Test
  void nameOfAKeyBeyondTheScopeIsNotTold() {
    IssuedKey admin = created("ADMIN", key -> key.ofTypes("names_*"));
    FlowClient scoped = at(one, admin.key());
    String name = newName();
    at(one, adminKey).keys().create(NewKey.of(name, "READER"));
    NewKey own = NewKey.of(name, "READER").ofTypes("names_a");
    IssuedKey made = scoped.keys().create(own);
    assertRefused(ErrorCode.KEY_CONFLICT, () -> scoped.keys().create(own));
    scoped.keys().revoke(made.keyId(), null);
    at(one, adminKey).keys().revoke(admin.keyId(), null);
  }

  @Test
  void callerWithAScopeTakesNoNameOfACertificate() {
    IssuedKey admin = created("ADMIN", key -> key.ofTypes("cert_*"));
    FlowClient scoped = at(one, admin.key());
    NewKey key = NewKey.of(newName(), "READER").ofTypes("cert_a");
    assertRefused(
        ErrorCode.KEY_CONFLICT,
        () -> scoped.keys().create(key.withCertificate("spiffe://acme/squatted")));
    at(one, adminKey).keys().revoke(admin.keyId(), null);
  }

  @Test
  void scopeHasAThousandKeysAtMostHoweverTheyEnded() {
    IssuedKey admin = created("ADMIN", key -> key.ofTypes("many_*"));
    FlowClient scoped = at(one, admin.key());
    NewKey key = NewKey.of(newName(), "READER").ofTypes("many_a");
    IssuedKey made = scoped.keys().create(key);
    insertRevoked(made, 1_000);
    assertRefused(
        ErrorCode.LIMIT_EXCEEDED,
        () -> scoped.keys().create(NewKey.of(newName(), "READER").ofTypes("many_a")));
    assertRefused(
        ErrorCode.LIMIT_EXCEEDED, () -> scoped.keys().rotate(made.keyId(), Duration.ZERO));
    assertThat(scoped.keys().list(KeyState.ACTIVE))
        .extracting(ListedKey::keyId)
        .containsExactlyInAnyOrder(made.keyId(), admin.keyId());
    assertThat(scoped.keys().list(KeyState.REVOKED)).hasSize(1_000);
    sql().sql("DELETE FROM t_access_key WHERE revoke_reason = 'many'").update();
    scoped.keys().create(NewKey.of(newName(), "READER").ofTypes("many_a"));
    at(one, adminKey).keys().revoke(admin.keyId(), null);
  }

  /** Rows like that of this key, as servers write them, which all are as old. */
  private static void insertRevoked(IssuedKey like, int count) {
    AccessKeyStore store = one.getBean(AccessKeyStore.class);
    AccessKeyRow row = store.find(like.keyId()).orElseThrow().row();
    one.getBean(RetryingTransactions.class)
        .execute(
            () -> {
              for (int i = 0; i < count; i++) {
                store.insert(
                    AccessKeyRow.of(
                            AccessKey.random(),
                            "many",
                            row.rights(),
                            row.createdBy(),
                            row.createTime(),
                            row.expireTime())
                        .revoked(row.createTime(), "many"));
              }
              return null;
            });
  }

  @Test
  void keysThatEndedAYearAgoAreDeleted() {
    IssuedKey old = created("READER");
    IssuedKey younger = created("READER");
    long now = one.getBean(AccessKeyStore.class).version().now();
    long year = AccessKeyStore.KEPT.toMillis();
    change(old, row -> row.revoked(now - year - 60_000, ""));
    change(younger, row -> row.revoked(now - year + 60_000, ""));
    one.getBean(AccessKeyStore.class).deny("oidc:https://i.example#old", now - year - 60_000);
    one.getBean(AccessKeyStore.class).deny("oidc:https://i.example#younger", now);
    assertThat(one.getBean(AccessKeyStore.class).deleteDenialsBefore(now - year, 1)).isEqualTo(1);
    one.getBean(AccessKeyStore.class).deny("oidc:https://i.example#old", now - year - 60_000);
    assertThat(one.getBean("endedKeyRetentionDuty", Duty.class).runOnce().get()).isEqualTo(2);
    assertThat(one.getBean(AccessKeyStore.class).find(old.keyId())).isEmpty();
    assertThat(one.getBean(AccessKeyStore.class).find(younger.keyId())).isPresent();
    assertThat(one.getBean(KnownKeys.class).snapshot().changed())
        .doesNotContain(KeyGrant.principal(old.keyId()));
  }

  @Test
  void lastAdminKeyStays() {
    String root = at(one, adminKey).keys().me().principal().substring("key:".length());
    assertRefused(
        ErrorCode.KEY_CONFLICT, () -> at(one, adminKey).keys().revoke(root, "by mistake"));
    IssuedKey second = created("ADMIN");
    at(one, adminKey).keys().revoke(second.keyId(), null);
  }

  @Test
  void nameOfALiveKeyIsTaken() {
    NewKey key = NewKey.of(newName(), "READER");
    IssuedKey first = at(one, adminKey).keys().create(key);
    assertRefused(ErrorCode.KEY_CONFLICT, () -> at(other, adminKey).keys().create(key));
    at(one, adminKey).keys().revoke(first.keyId(), null);
    assertThat(at(other, adminKey).keys().create(key).keyId()).isNotEqualTo(first.keyId());
  }

  @Test
  void whatTheDatabaseHasIsNoCredential() {
    IssuedKey key = created("ADMIN");
    String secret = AccessKey.parse(key.key()).orElseThrow().secret();
    Map<String, Object> row =
        sql()
            .sql("SELECT * FROM t_access_key WHERE key_id = ?")
            .param(key.keyId())
            .query()
            .singleRow();
    assertThat(row.toString()).doesNotContain(secret);
    String hash = HexFormat.of().formatHex((byte[]) row.get("key_hash"));
    for (String tried : List.of(hash, key.keyId(), "afk_" + key.keyId() + "_" + hash)) {
      assertRefused(ErrorCode.NOT_AUTHENTICATED, () -> at(one, tried).keys().me());
    }
    assertRefused(ErrorCode.NOT_AUTHENTICATED, () -> at(one, null).keys().me());
    at(one, adminKey).keys().revoke(key.keyId(), null);
  }

  @Test
  void lastUseIsWrittenForAllKeysTogether() {
    IssuedKey used = created("READER");
    IssuedKey unused = created("READER");
    at(one, used.key()).keys().me();
    one.getBean(KeyUpkeep.class).runOnce();
    ListedKey listed = listed(used);
    assertThat(listed.lastUsedTime()).isGreaterThanOrEqualTo(listed.createTime());
    assertThat(listed(unused).lastUsedTime()).isNull();
  }

  @Test
  void keyThatEndsSoonIsShown() {
    IssuedKey key = created("READER", soon -> soon.forDays(3));
    one.getBean(KeyUpkeep.class).runOnce();
    Gauge seconds =
        one.getBean(MeterRegistry.class)
            .get("asyncflow.access.expires")
            .tag("key", key.keyId())
            .gauge();
    assertThat(seconds.value() / 86_400).isGreaterThan(2).isLessThanOrEqualTo(3);
  }

  @Test
  void actsOnKeysAreRecorded() {
    IssuedKey key = created("READER");
    IssuedKey next = at(one, adminKey).keys().rotate(key.keyId(), Duration.ZERO);
    at(one, adminKey).keys().revoke(next.keyId(), "no use");
    assertThat(actsOn(key.keyId())).containsExactly("CREATE", "ROTATE");
    assertThat(actsOn(next.keyId())).containsExactly("REVOKE");
    String details =
        sql()
            .sql("SELECT GROUP_CONCAT(detail) FROM t_act WHERE object = ?")
            .param("key:" + key.keyId())
            .query(String.class)
            .single();
    assertThat(details)
        .contains("READER", next.keyId())
        .doesNotContain(AccessKey.parse(key.key()).orElseThrow().secret());
  }

  @Test
  void keyHasSoManyHoldsAndStreamsAtOnceOnAServer() throws Exception {
    IssuedKey worker = created("WORKER");
    IssuedKey reader = created("READER");
    FlowClient work = at(one, worker.key());
    FlowClient read = at(one, reader.key());
    List<CompletableFuture<HoldAnswer>> holds = new ArrayList<>();
    for (String name : List.of("w-cap-1", "w-cap-2", "w-cap-3")) {
      holds.add(CompletableFuture.supplyAsync(() -> waiting(work, name), OtherThread::start));
      await().atMost(SOON).until(() -> one.getBean(OpenHolds.class).seenWorkers().contains(name));
    }
    assertRefused(ErrorCode.LIMIT_EXCEEDED, () -> waiting(work, "w-cap-4"));
    assertThat(at(one, created("WORKER").key()).hold(new HoldRequest(TYPE, 1, "w", 1, null, null)))
        .as("of another key")
        .isNotNull();
    assertThat(work.hold(new HoldRequest(TYPE, 1, "w-cap-4", null, null, null)))
        .as("one that does not wait")
        .isNotNull();

    try (EventStream<FollowedEvent> first = read.events().open(EventFilter.ALL, null);
        EventStream<FollowedEvent> second = read.events().open(EventFilter.ALL, null)) {
      assertRefused(
          ErrorCode.LIMIT_EXCEEDED,
          () -> {
            try (EventStream<FollowedEvent> third = read.events().open(EventFilter.ALL, null)) {
              third.next();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          });
      at(one, adminKey).keys().revoke(worker.keyId(), null);
      at(one, adminKey).keys().revoke(reader.keyId(), null);
      assertThat(first.next()).as("the end of the stream").isNull();
      assertThat(second.next()).isNull();
    }
    for (CompletableFuture<HoldAnswer> hold : holds) {
      hold.join();
    }
  }

  private static HoldAnswer waiting(FlowClient client, String worker) {
    return client.hold(new HoldRequest(TYPE, 1, worker, 30_000, null, null));
  }

  @Test
  void keyBeyondItsRateIsRefusedAndItsHeartbeatsAreNot() throws Exception {
    IssuedKey key = created("WORKER", made -> made.atMost(1));
    HttpClient http = HttpClient.newHttpClient();
    String port = one.getEnvironment().getRequiredProperty("local.server.port");
    HttpRequest me =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/key/me"))
            .header("Authorization", "Bearer " + key.key())
            .build();
    AtomicReference<HttpResponse<String>> refused = new AtomicReference<>();
    await() // calls that take a second each are not beyond the rate
        .atMost(SOON)
        .pollInterval(Duration.ofMillis(1))
        .until(
            () -> {
              refused.set(http.send(me, HttpResponse.BodyHandlers.ofString()));
              return refused.get().statusCode() == 429;
            });
    assertThat(refused.get().body()).contains("\"code\":8080").contains("1 requests a second");
    assertThat(refused.get().headers().firstValue("Retry-After")).hasValue("1");
    for (int i = 0; i < 20; i++) {
      at(one, key.key()).heartbeat(new Heartbeat("w-rate", List.of()));
    }
    FlowClient admin = at(one, adminKey);
    assertThat(listed(key).rateLimit()).isEqualTo(1);
    IssuedKey next = admin.keys().rotate(key.keyId(), Duration.ofHours(1));
    assertThat(listed(next).rateLimit()).as("of the successor").isEqualTo(1);
    FlowClient elsewhere = at(other, next.key());
    awaitKnown(elsewhere);
    await()
        .atMost(SOON)
        .pollInterval(Duration.ofSeconds(1)) // its rate
        .ignoreExceptions()
        .until(() -> elsewhere.keys().me().rateLimit() == 1);
  }

  @Test
  void nobodyGivesAwayAHigherRateThanHisOwn() {
    IssuedKey maker = created("ADMIN", key -> key.atMost(1_000));
    FlowClient limited = at(one, maker.key());
    assertRefused(
        ErrorCode.KEY_CONFLICT, () -> limited.keys().create(NewKey.of(newName(), "READER")));
    assertRefused(
        ErrorCode.KEY_CONFLICT,
        () -> limited.keys().create(NewKey.of(newName(), "READER").atMost(1_001)));
    limited.keys().create(NewKey.of(newName(), "READER").atMost(1_000));
    IssuedKey faster = created("READER");
    assertRefused(
        ErrorCode.KEY_CONFLICT, () -> limited.keys().rotate(faster.keyId(), Duration.ofHours(1)));
    at(one, adminKey).keys().revoke(maker.keyId(), null);
  }

  @Test
  void keyIsNotLiveBeforeItsTime() {
    long later = System.currentTimeMillis() + Duration.ofDays(2).toMillis();
    IssuedKey key = created("READER", made -> made.from(later).forDays(10));
    assertThat(key.expireTime()).isEqualTo(later + Duration.ofDays(10).toMillis());
    assertRefused(ErrorCode.KEY_ENDED, () -> at(one, key.key()).keys().me());
    ListedKey listed = listed(key);
    assertThat(listed.state()).isEqualTo(KeyState.PENDING);
    assertThat(listed.notBefore()).isEqualTo(later);
    assertThat(at(one, adminKey).keys().list(KeyState.PENDING))
        .extracting(ListedKey::keyId)
        .contains(key.keyId());
    assertRefused(
        ErrorCode.TRANSITION_NOT_ALLOWED,
        () -> at(one, adminKey).keys().rotate(key.keyId(), Duration.ofHours(1)));
    rewrite(key, "*", row -> row.limited(new Limits(null, 0, row.createTime())));
    awaitKnown(at(other, key.key()));
    assertThat(listed(created("READER", made -> made.from(1_000_000_000_000L))).state())
        .as("a time that has passed")
        .isEqualTo(KeyState.ACTIVE);
  }

  @Test
  void certificateNamesOneLiveKey() {
    NewKey key = NewKey.of(newName(), "READER").withCertificate("spiffe://acme/one-key");
    IssuedKey first = at(one, adminKey).keys().create(key);
    assertThat(listed(first).certSan()).isEqualTo("spiffe://acme/one-key");
    assertRefused(ErrorCode.KEY_ENDED, () -> at(one, first.key()).keys().me());
    NewKey same = NewKey.of(newName(), "READER").withCertificate("spiffe://acme/one-key");
    assertRefused(ErrorCode.KEY_CONFLICT, () -> at(other, adminKey).keys().create(same));
    IssuedKey next = at(one, adminKey).keys().rotate(first.keyId(), Duration.ZERO);
    assertThat(listed(next).certSan()).isEqualTo("spiffe://acme/one-key");
    at(one, adminKey).keys().revoke(next.keyId(), null);
    assertThat(at(other, adminKey).keys().create(same)).isNotNull();
    for (String bad : List.of("*.acme.example", "acme gpu", "http:")) {
      assertRefused(
          ErrorCode.INVALID_INPUT,
          () ->
              at(one, adminKey).keys().create(NewKey.of(newName(), "READER").withCertificate(bad)));
    }
  }

  @Test
  void starIsOnlyAtTheEnd() {
    for (String name : List.of("a*b", "**", "*a", "a*b*")) {
      for (NewKey key :
          List.of(
              NewKey.of(newName(), "READER").ofUsers(name),
              NewKey.of(newName(), "READER").ofTypes(name),
              NewKey.of(newName(), "READER").ofStages(name))) {
        assertRefused(ErrorCode.INVALID_INPUT, () -> at(one, adminKey).keys().create(key));
      }
    }
  }

  @Test
  void ownKeyIsNotRotatedWithoutTimeForALostAnswer() {
    IssuedKey own = created("ADMIN");
    FlowClient admin = at(one, own.key());
    assertRefused(
        ErrorCode.INVALID_INPUT, () -> admin.keys().rotate(own.keyId(), Duration.ofSeconds(59)));
    IssuedKey next = admin.keys().rotate(own.keyId(), Duration.ofSeconds(60));
    assertThat(admin.keys().me()).isNotNull();
    at(one, adminKey).keys().revoke(own.keyId(), null);
    at(one, adminKey).keys().revoke(next.keyId(), null);
  }

  @Test
  void rowThatCannotBeReadIsIgnoredAndListed() {
    IssuedKey key = created("READER");
    rewrite(key, "null", row -> row);
    awaitRefused(ErrorCode.NOT_AUTHENTICATED, () -> at(other, key.key()).keys().me());
    assertThat(listed(key).state()).isEqualTo(KeyState.IGNORED);
    IssuedKey later = created("READER");
    awaitKnown(at(other, later.key()));
    at(one, adminKey).keys().revoke(key.keyId(), null);
  }

  /** As {@link #change}, of columns that no server changes. */
  private static void rewrite(IssuedKey key, String users, UnaryOperator<AccessKeyRow> change) {
    AccessKeyRow row =
        change.apply(one.getBean(AccessKeyStore.class).find(key.keyId()).orElseThrow().row());
    Rights rights = row.rights();
    AccessKeyRow changed =
        new AccessKeyRow(
            row.id(),
            row.name(),
            row.hash(),
            new Rights(
                rights.roles(), rights.types(), rights.stages(), users, rights.workerPrefix()),
            row.limits(),
            row.createdBy(),
            row.createTime(),
            row.end());
    byte[] seal = one.getBean(KeySeals.class).seal(changed.columns());
    sql()
        .sql("UPDATE t_access_key SET users = ?, not_before = ?, seal = ? WHERE key_id = ?")
        .params(users, row.limits().notBefore(), seal, row.id())
        .update();
    sql().sql("UPDATE t_access_version SET version = version + 1").update();
  }

  private static List<String> actsOn(String keyId) {
    return sql()
        .sql("SELECT act FROM t_act WHERE object = ? ORDER BY id")
        .param("key:" + keyId)
        .query(String.class)
        .list();
  }
}
