package io.asyncflow.flowsvr.edge.access.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.flowsvr.edge.access.FakeIssuer;
import io.asyncflow.flowsvr.edge.access.KeysServers;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Sessions on two servers that only share their database. */
@Tag("contract")
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class SessionsIT {

  /** What an end may take on the other server; the bound is generous for a busy machine. */
  private static final Duration SOON = Duration.ofSeconds(30);

  private static final AtomicInteger NAMES = new AtomicInteger();
  private static final FakeIssuer ISSUER = new FakeIssuer();
  private static final KeysServers SERVERS = new KeysServers("sessions");
  private static final String[] SETTINGS = {
    "--flow.oidc.issuer=" + ISSUER.url(),
    "--flow.oidc.audience=" + FakeIssuer.AUDIENCE,
    "--flow.compat.legacy-paths=true"
  };

  private static Wire one;
  private static Wire other;

  @BeforeAll
  static void start() {
    one = KeysServers.wireTo(SERVERS.start(SETTINGS));
    other = KeysServers.wireTo(SERVERS.start(SETTINGS));
  }

  @AfterAll
  static void stop() {
    SERVERS.close();
    ISSUER.close();
  }

  private record Session(String cookie, String id, String csrfToken, Answer answer) {}

  private record Key(String id, String text) {}

  private static Answer bearer(Wire server, String path, String json, String key) {
    return server.send(
        server
            .request(path)
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json.replace('\'', '"'))));
  }

  private static Key aKey(String role) {
    Answer made =
        bearer(
            one,
            "/api/key/create",
            "{'name':'person " + NAMES.incrementAndGet() + "','roles':['" + role + "']}",
            KeysServers.ENVIRONMENT_KEY);
    return new Key(made.result().path("keyId").asString(), made.result().path("key").asString());
  }

  private static Session logIn(String key) {
    Answer answer = bearer(one, "/api/session", "", key);
    assertThat(answer.status()).as(answer.http().body()).isEqualTo(200);
    String cookie = answer.header("Set-Cookie").split(";")[0];
    return new Session(
        cookie,
        cookie.substring(cookie.indexOf('=') + 1),
        answer.result().path("csrfToken").asString(),
        answer);
  }

  private static Answer get(Wire server, String path, Session session, String... headers) {
    return server.send(with(server.request(path), session, headers).GET());
  }

  private static Answer post(
      Wire server, String path, String json, Session session, String... headers) {
    return server.send(
        with(server.request(path), session, headers)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json.replace('\'', '"'))));
  }

  private static HttpRequest.Builder with(
      HttpRequest.Builder request, Session session, String... headers) {
    request.header("Cookie", session.cookie());
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return request;
  }

  private static int me(Wire server, Session session) {
    return get(server, "/api/key/me", session).status();
  }

  /** The other server looks for a new key once a second, and this test is not the only one. */
  private static void awaitKnown(Session session) {
    await().atMost(SOON).until(() -> me(other, session) == 200);
  }

  private static void awaitEnd(Session session) {
    for (Wire server : List.of(one, other)) {
      await().atMost(SOON).untilAsserted(() -> assertThat(me(server, session)).isIn(401, 429));
    }
  }

  @Test
  void everyServerKnowsTheSessionAndTheRightsOfItsKey() {
    Key key = aKey("OPERATOR");
    Session session = logIn(key.text());
    awaitKnown(session);
    for (Wire server : List.of(one, other)) {
      Answer me = get(server, "/api/key/me", session);
      assertThat(me.status()).as(me.http().body()).isEqualTo(200);
      assertThat(me.result().path("kind").asString()).isEqualTo("SESSION");
      assertThat(me.result().path("principal").asString()).isEqualTo("key:" + key.id());
      assertThat(me.result().path("roles").toString()).isEqualTo("[\"OPERATOR\"]");
      assertThat(me.result().path("csrfToken").asString()).isEqualTo(session.csrfToken());
      assertThat(me.result().path("expireTime").asLong())
          .isEqualTo(session.answer().result().path("expireTime").asLong());
      assertThat(get(server, "/api/key/list", session).code()).isEqualTo(8072);
    }
  }

  @Test
  void cookieIsForThisServerAloneAndOutOfReachOfScripts() {
    Session session = logIn(KeysServers.ENVIRONMENT_KEY);
    assertThat(session.answer().header("Set-Cookie"))
        .isEqualTo("asyncflow=" + session.id() + "; Path=/; HttpOnly; SameSite=Lax");
    assertThat(session.answer().http().body()).doesNotContain(session.id());
    assertThat(logIn(KeysServers.ENVIRONMENT_KEY).id()).isNotEqualTo(session.id());
  }

  @Test
  void databaseAndLogHaveNeitherTheIdNorTheCsrfToken(CapturedOutput output) {
    Session ended = logIn(KeysServers.ENVIRONMENT_KEY);
    post(one, "/api/session/end", "", ended, "X-XSRF-TOKEN", ended.csrfToken());
    Session session = logIn(KeysServers.ENVIRONMENT_KEY);
    get(other, "/api/key/me", session);
    get(one, "/api/key/me", new Session(session.cookie() + "; bad=\"x", null, null, null));
    StringBuilder all = new StringBuilder(output.getAll());
    for (String table : List.of("t_session", "t_act")) {
      for (Map<String, Object> row :
          SERVERS.sql().sql("SELECT * FROM " + table).query().listOfRows()) {
        row.values()
            .forEach(
                value ->
                    all.append(
                        value instanceof byte[] bytes
                            ? new String(bytes, StandardCharsets.ISO_8859_1)
                            : value));
      }
    }
    for (Session each : List.of(ended, session)) {
      assertThat(all).doesNotContain(each.id()).doesNotContain(each.csrfToken());
    }
  }

  @Test
  void logOutEndsTheSessionEverywhere() {
    Session session = logIn(aKey("READER").text());
    awaitKnown(session);
    Answer out = post(one, "/api/session/end", "", session, "X-XSRF-TOKEN", session.csrfToken());
    assertThat(out.status()).isEqualTo(200);
    assertThat(out.header("Set-Cookie")).startsWith("asyncflow=; Path=/; Max-Age=0;");
    assertThat(me(one, session)).isIn(401, 429);
    awaitEnd(session);
  }

  /** The same person on another device goes on. */
  @Test
  void logOutEndsTheStreamsOfItsSessionEverywhere() {
    Key key = aKey("READER");
    Session session = logIn(key.text());
    Session another = logIn(key.text());
    awaitKnown(session);
    CompletableFuture<Void> here = stream(one, session);
    CompletableFuture<Void> elsewhere = stream(other, session);
    CompletableFuture<Void> ofAnother = stream(other, another);

    long begin = System.nanoTime();
    post(one, "/api/session/end", "", session, "X-XSRF-TOKEN", session.csrfToken());
    here.orTimeout(SOON.toSeconds(), TimeUnit.SECONDS).join();
    long first = System.nanoTime() - begin;
    elsewhere.orTimeout(SOON.toSeconds(), TimeUnit.SECONDS).join();
    System.out.printf(
        Locale.ROOT,
        "a log-out ended a stream here after %,d ms, and one at another server after %,d ms%n",
        first / 1_000_000,
        (System.nanoTime() - begin) / 1_000_000);
    assertThat(ofAnother).isNotDone();
    post(other, "/api/session/end", "", another, "X-XSRF-TOKEN", another.csrfToken());
    ofAnother.orTimeout(SOON.toSeconds(), TimeUnit.SECONDS).join();
  }

  /** Complete when it has ended; it has begun before this returns. */
  private static CompletableFuture<Void> stream(Wire server, Session session) {
    HttpRequest request = with(server.request("/api/event/stream"), session).GET().build();
    HttpResponse<Stream<String>> answer =
        HttpClient.newHttpClient().sendAsync(request, BodyHandlers.ofLines()).join();
    assertThat(answer.statusCode()).isEqualTo(200);
    return CompletableFuture.runAsync(
        () -> answer.body().forEach(line -> {}), command -> new Thread(command).start());
  }

  @Test
  void revokedKeyEndsItsSessions() {
    Key key = aKey("READER");
    Session session = logIn(key.text());
    awaitKnown(session);
    bearer(one, "/api/key/revoke", "{'keyId':'" + key.id() + "'}", KeysServers.ENVIRONMENT_KEY);
    assertThat(me(one, session)).isIn(401, 429);
    awaitEnd(session);
  }

  @Test
  void personWithATokenHasASessionBeyondItUntilTheSubjectIsDenied() {
    Session session = logIn(ISSUER.token(ISSUER.claims("ann", "READER")));
    Answer me = get(other, "/api/key/me", session);
    assertThat(me.result().path("principal").asString()).isEqualTo("oidc:" + ISSUER.url() + "#ann");
    assertThat(me.result().path("roles").toString()).isEqualTo("[\"READER\"]");
    bearer(
        one,
        "/api/key/deny",
        "{'principal':'oidc:" + ISSUER.url() + "#ann'}",
        KeysServers.ENVIRONMENT_KEY);
    awaitEnd(session);
  }

  @Test
  void whatChangesSomethingNeedsTheCsrfToken() {
    Session session = logIn(aKey("ADMIN").text());
    Session another = logIn(aKey("ADMIN").text());
    String save = "/api/task_schedule_cfg/save";
    String type = "{'task_type':'forged'}";
    for (String[] headers :
        new String[][] {
          {}, {"X-XSRF-TOKEN", ""}, {"X-XSRF-TOKEN", another.csrfToken()}, {"X-XSRF-TOKEN", "ü"}
        }) {
      Answer answer = post(one, save, type, session, headers);
      assertThat(answer.status()).isEqualTo(403);
      assertThat(answer.code()).isEqualTo(8074);
      assertThat(answer.msg()).contains("X-XSRF-TOKEN");
    }
    String hold = "/api/task/hold_task?taskType=forged&workerId=w";
    assertThat(get(one, hold, session).code()).as("a hold by GET").isEqualTo(8074);
    String saveOfOldClients = "/task_schedule_cfg/task_configuration?task_type=forged";
    assertThat(get(one, saveOfOldClients, session).code()).as("a save by GET").isEqualTo(8074);
    assertThat(get(one, "/api/task_schedule_cfg/list", session).http().body())
        .doesNotContain("forged");

    Answer saved =
        post(
            one,
            save,
            "{'task_type':'console'}",
            session,
            "X-XSRF-TOKEN",
            session.csrfToken(),
            "Origin",
            "http://127.0.0.1:" + one.request("/").build().uri().getPort(),
            "Sec-Fetch-Site",
            "same-origin");
    assertThat(saved.status()).as(saved.http().body()).isEqualTo(200);
  }

  @Test
  void pageOfAnotherSiteGetsNothingByTheCookie() {
    Session session = logIn(aKey("ADMIN").text());
    for (String[] headers :
        new String[][] {
          {"Origin", "https://evil.example"},
          {"Origin", "null"},
          {"Sec-Fetch-Site", "cross-site"},
          {"Sec-Fetch-Site", "same-site"},
          {"Referer", "https://evil.example/page"}
        }) {
      Answer read = get(one, "/api/key/me", session, headers);
      assertThat(read.status()).isEqualTo(403);
      assertThat(read.code()).isEqualTo(8074);
      assertThat(read.http().body()).doesNotContain(session.csrfToken());
    }
  }

  @Test
  void bearerDecidesWhereThereIsOneAndNeedsNoCsrfToken() {
    Session session = logIn(aKey("ADMIN").text());
    String reader = aKey("READER").text();
    Answer me = get(one, "/api/key/me", session, "Authorization", "Bearer " + reader);
    assertThat(me.result().path("kind").asString()).isEqualTo("KEY");
    for (String wrong : List.of("Bearer wrong", "Basic YTpi", "")) {
      assertThat(get(one, "/api/key/me", session, "Authorization", wrong).status())
          .as(wrong)
          .isIn(401, 429);
    }
    assertThat(
            post(one, "/api/key/list", "{}", session, "Authorization", "Bearer " + reader).code())
        .isEqualTo(8072);
  }

  @Test
  void sessionDoesNotBeginAnotherOneAndWithoutOneNothingEnds() {
    Key key = aKey("READER");
    Session session = logIn(key.text());
    Answer again = post(one, "/api/session", "", session, "X-XSRF-TOKEN", session.csrfToken());
    assertThat(again.code()).isEqualTo(8051);
    assertThat(bearer(one, "/api/session/end", "", key.text()).code()).isEqualTo(8051);
    assertThat(one.post("/api/session").status()).isIn(401, 429);
  }

  @Test
  void madeUpCookieProvesNothing() {
    for (String value : List.of("", "x", "A".repeat(43), "A".repeat(4_000), "\"quoted\"")) {
      Answer answer = get(one, "/api/key/me", new Session("asyncflow=" + value, value, null, null));
      assertThat(answer.status()).as(value).isIn(401, 429);
    }
    Session session = logIn(aKey("READER").text());
    Session renamed = new Session("__Host-asyncflow=" + session.id(), null, null, null);
    assertThat(me(one, renamed)).as("the name of HTTPS over HTTP").isIn(401, 429);
  }

  @Test
  void sessionEndsWhenItIsNotUsedForHalfAnHour() {
    Session session = logIn(aKey("READER").text());
    changeTime(session, "last_used_time", Duration.ofMinutes(29));
    awaitKnown(session);
    assertThat(lastUsed(session)).as("written by the use").isPositive();
    changeTime(session, "last_used_time", Duration.ofMinutes(31));
    awaitEnd(session);
  }

  @Test
  void pageThatFollowsTheNewsKeepsNoSessionOpen() {
    Session session = logIn(aKey("READER").text());
    awaitKnown(session);
    changeTime(session, "last_used_time", Duration.ofMinutes(29));
    await()
        .during(Duration.ofSeconds(4)) // what was read of a session is remembered for three
        .atMost(SOON)
        .until(() -> isFollowed(session) && lastUsed(session) < 0);
    await().atMost(SOON).until(() -> me(other, session) == 200 && lastUsed(session) > 0);
  }

  private static boolean isFollowed(Session session) {
    return get(other, "/api/key/me", session, "X-Asyncflow-Live", "1").status() == 200;
  }

  @Test
  void linkOfAnotherSiteOpensAPageAndDoesNothing() {
    Session session = logIn(aKey("ADMIN").text());
    String page = "/console/types";
    assertThat(status(link(session, page, "navigate", "document").GET())).isEqualTo(200);
    assertThat(status(link(session, page, "navigate", "iframe").GET())).isEqualTo(403);
    assertThat(status(link(session, page, "no-cors", "empty").GET())).isEqualTo(403);
    assertThat(status(link(session, "/api/key/me", "navigate", "document").GET())).isEqualTo(403);
    assertThat(
            status(
                link(session, "/console/preferences", "navigate", "document")
                    .POST(BodyPublishers.noBody())))
        .isEqualTo(403);
  }

  private static HttpRequest.Builder link(
      Session session, String path, String mode, String destination) {
    return with(
        one.request(path),
        session,
        "Accept",
        "text/html",
        "Sec-Fetch-Site",
        "cross-site",
        "Sec-Fetch-Mode",
        mode,
        "Sec-Fetch-Dest",
        destination);
  }

  /** Of an answer that may be a page. */
  private static int status(HttpRequest.Builder request) {
    return HttpClient.newHttpClient()
        .sendAsync(request.build(), BodyHandlers.discarding())
        .join()
        .statusCode();
  }

  @Test
  void triesToLogInWithAnEndedKeyAreCounted() {
    Key key = aKey("READER");
    awaitKnown(logIn(key.text()));
    bearer(one, "/api/key/revoke", "{'keyId':'" + key.id() + "'}", KeysServers.ENVIRONMENT_KEY);
    await()
        .atMost(SOON)
        .until(
            () ->
                status(
                        one.request("/console/login")
                            .header("Content-Type", "application/x-www-form-urlencoded")
                            .POST(BodyPublishers.ofString("key=" + key.text())))
                    == 429);
  }

  /** Moves a time of the row into the past, which is as if the clock had gone on. */
  private static void changeTime(Session session, String column, Duration past) {
    SERVERS
        .sql()
        .sql("UPDATE t_session SET " + column + " = create_time - ? WHERE id_hash = ?")
        .param(past.toMillis())
        .param(SessionId.parse(session.id()).orElseThrow().hash())
        .update();
  }

  /** How long after the beginning, in ms. */
  private static long lastUsed(Session session) {
    return SERVERS
        .sql()
        .sql("SELECT last_used_time - create_time + 1 FROM t_session WHERE id_hash = ?")
        .param(SessionId.parse(session.id()).orElseThrow().hash())
        .query(Long.class)
        .single();
  }

  @Test
  void rowThatWasChangedOrMadeBySqlCountsForNothing() {
    Session session = logIn(aKey("READER").text());
    Key admin = aKey("ADMIN");
    byte[] hash = SessionId.parse(session.id()).orElseThrow().hash();
    SERVERS
        .sql()
        .sql("UPDATE t_session SET principal = ? WHERE id_hash = ?")
        .param("key:" + admin.id())
        .param(hash)
        .update();
    awaitEnd(session);
    Session longer = logIn(aKey("READER").text());
    SERVERS
        .sql()
        .sql("UPDATE t_session SET expire_time = expire_time + 1 WHERE id_hash = ?")
        .param(SessionId.parse(longer.id()).orElseThrow().hash())
        .update();
    awaitEnd(longer);
  }

  @Test
  void logInAndLogOutAreRecorded() {
    Key key = aKey("READER");
    Session session = logIn(key.text());
    awaitKnown(session);
    post(other, "/api/session/end", "", session, "X-XSRF-TOKEN", session.csrfToken());
    assertThat(
            SERVERS
                .sql()
                .sql("SELECT CONCAT(act, ' ', object) FROM t_act WHERE actor = ? ORDER BY id")
                .param("key:" + key.id())
                .query(String.class)
                .list())
        .containsExactly("LOG_IN session:" + name(session), "LOG_OUT session:" + name(session));
  }

  private static String name(Session session) {
    return SessionId.parse(session.id()).orElseThrow().name();
  }

  /** For the log-ins of a key so far. */
  private static void letAMinutePass(Key key) {
    SERVERS
        .sql()
        .sql("UPDATE t_act SET act_time = act_time - 60001 WHERE actor = ? AND act = 'LOG_IN'")
        .param("key:" + key.id())
        .update();
  }

  @Test
  void callerLogsInThirtyTimesAMinute() {
    Key key = aKey("READER");
    for (int i = 0; i < 30; i++) {
      Session session = logIn(key.text());
      post(one, "/api/session/end", "", session, "X-XSRF-TOKEN", session.csrfToken());
    }
    Answer refused = bearer(one, "/api/session", "", key.text());
    assertThat(refused.code()).isEqualTo(8080);
    assertThat(refused.header("Retry-After")).isEqualTo("60");
    awaitLimitOf(key);
    letAMinutePass(key);
    logIn(key.text());
  }

  /** The other server looks for a new key once a second, and this test is not the only one. */
  private static void awaitLimitOf(Key key) {
    await().atMost(SOON).until(() -> bearer(other, "/api/session", "", key.text()).code() == 8080);
  }

  @Test
  void callerHasNoMoreThanAHundredSessionsHoweverManyBeginAtOnce() {
    Key key = aKey("READER");
    for (int i = 0; i < Sessions.MOST_OF_A_CALLER - 1; i++) {
      logIn(key.text());
      letAMinutePass(key);
    }
    List<CompletableFuture<Answer>> last =
        Stream.generate(
                () ->
                    CompletableFuture.supplyAsync(
                        () -> bearer(one, "/api/session", "", key.text()), OtherThread::start))
            .limit(8)
            .toList();
    assertThat(last.stream().map(CompletableFuture::join).filter(each -> each.status() == 200))
        .hasSize(1);
  }

  @Test
  void callerHasNoMoreThanAHundredSessions() {
    Key key = aKey("READER");
    for (int i = 0; i < Sessions.MOST_OF_A_CALLER; i++) {
      logIn(key.text());
      letAMinutePass(key);
    }
    assertThat(bearer(one, "/api/session", "", key.text()).code()).isEqualTo(8080);
    SERVERS
        .sql()
        .sql("UPDATE t_session SET expire_time = 1 WHERE principal = ?")
        .param("key:" + key.id())
        .update();
    logIn(key.text());
    assertThat(
            SERVERS
                .sql()
                .sql("SELECT COUNT(*) FROM t_session WHERE principal = ?")
                .param("key:" + key.id())
                .query(Integer.class)
                .single())
        .as("those that ended are gone")
        .isEqualTo(1);
  }
}
