package io.asyncflow.flowsvr.edge.access.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.EventStream;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.event.EventFilter;
import io.asyncflow.api.event.FollowedEvent;
import io.asyncflow.flowsvr.base.system.BadSettingException;
import io.asyncflow.flowsvr.edge.access.FakeIssuer;
import io.asyncflow.flowsvr.edge.access.KeysServers;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a server makes of the tokens of an issuer. */
@Tag("contract")
@Timeout(120)
class TokensIT {

  /** Longer than the server waits before it asks the issuer again. */
  private static final Duration SOON = Duration.ofSeconds(40);

  private static final FakeIssuer ISSUER = new FakeIssuer();
  private static final KeysServers SERVERS = new KeysServers("tokens");

  private static Wire wire;

  @BeforeAll
  static void start() {
    wire =
        KeysServers.wireTo(
            SERVERS.start(
                "--flow.max-streams-per-key=2",
                "--flow.oidc.issuer=" + ISSUER.url(),
                "--flow.oidc.audience=" + FakeIssuer.AUDIENCE,
                "--flow.oidc.types-claim=types",
                "--flow.oidc.users-claim=users"));
  }

  @AfterAll
  static void stop() {
    SERVERS.close();
    ISSUER.close();
  }

  private static Answer me(String token) {
    return wire.send(wire.request("/api/key/me").header("Authorization", "Bearer " + token));
  }

  private static Answer post(String path, String json, String token) {
    return wire.send(
        wire.request(path)
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json.replace('\'', '"'))));
  }

  private static JWTClaimsSet.Builder claims(String subject, String... roles) {
    return ISSUER
        .claims(subject, roles)
        .claim("types", List.of("Lark", "acme_*"))
        .claim("users", "ann bob");
  }

  private static void assertRefused(String token, String why) {
    Answer answer = me(token);
    assertThat(answer.status()).isIn(401, 429); // too many in a minute, if the tests are quick
    if (answer.status() == 401) {
      assertThat(answer.code()).isEqualTo(8070);
      assertThat(answer.msg()).contains(why);
    }
  }

  private static Date in(Duration time) {
    return Date.from(Instant.now().plus(time));
  }

  @Test
  void goodTokenProvesItsSubjectWithItsRolesAndScope() {
    for (String token :
        List.of(
            ISSUER.token(claims("robot", "READER", "submitter", "EMPEROR")),
            ISSUER.ecToken(claims("robot", "READER", "SUBMITTER")),
            ISSUER.edToken(JWSAlgorithm.EdDSA, claims("robot", "READER", "SUBMITTER")),
            ISSUER.edToken(JWSAlgorithm.Ed25519, claims("robot", "READER", "SUBMITTER")))) {
      Answer answer = me(token);
      assertThat(answer.status()).as(answer.http().body()).isEqualTo(200);
      assertThat(answer.result().path("principal").asString())
          .isEqualTo("oidc:" + ISSUER.url() + "#robot");
      assertThat(answer.result().path("kind").asString()).isEqualTo("OIDC");
      assertThat(answer.result().path("roles").toString()).isEqualTo("[\"READER\",\"SUBMITTER\"]");
      assertThat(answer.result().path("types").toString()).isEqualTo("[\"acme_*\",\"lark\"]");
      assertThat(answer.result().path("users").toString()).isEqualTo("[\"ann\",\"bob\"]");
    }
  }

  @Test
  void whatATokenDoesNotClaimItDoesNotHave() {
    Answer answer =
        me(
            ISSUER.token(
                claims("nobody", "EMPEROR").claim("types", null).claim("users", Map.of("a", 1))));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.result().path("verbs")).isEmpty();
    assertThat(answer.result().path("types")).isEmpty();
    assertThat(answer.result().path("users")).isEmpty();
  }

  @Test
  void tokenThatTheIssuerHasNotSignedProvesNothing() throws JOSEException {
    JWTClaimsSet.Builder claims = claims("mallory", "ADMIN");
    RSAKey own = new RSAKeyGenerator(2048).keyID("rsa-1").generate();
    byte[] publicKey = ISSUER.rsa().toPublicJWK().toRSAPublicKey().getEncoded();
    String good = ISSUER.token(claims("ann", "READER"));
    String edwards = ISSUER.edToken(JWSAlgorithm.EdDSA, claims);
    String notYet = ISSUER.edToken(JWSAlgorithm.Ed448, claims);
    for (String token :
        List.of(
            new PlainJWT(claims.build()).serialize(),
            FakeIssuer.signed(JWSAlgorithm.HS256, "rsa-1", claims, new MACSigner(publicKey)),
            FakeIssuer.signed(JWSAlgorithm.RS256, "rsa-1", claims, FakeIssuer.signer(own)),
            FakeIssuer.signed(JWSAlgorithm.RS512, "rsa-1", claims, FakeIssuer.signer(ISSUER.rsa())),
            FakeIssuer.signed(JWSAlgorithm.RS256, "other", claims, FakeIssuer.signer(own)),
            good.substring(0, good.length() - 8) + "AAAAAAAA",
            edwards.substring(0, edwards.length() - 8) + "AAAAAAAA",
            edwards.substring(0, edwards.lastIndexOf('.') + 1) + "AAAA",
            good.substring(0, good.lastIndexOf('.')) + edwards.substring(edwards.lastIndexOf('.')),
            notYet,
            "a.b.c",
            "..",
            "eyJhbGciOiJub25lIn0.e30.")) {
      assertRefused(token, "no valid key");
    }
  }

  @Test
  void tokenWithOtherClaimsIsRefusedAndItsOwnerToldWhy() {
    assertRefused(ISSUER.token(claims("ann", "READER").audience("another")), "aud");
    assertRefused(ISSUER.token(claims("ann", "READER").issuer("https://evil.example")), "iss");
    assertRefused(
        ISSUER.token(
            claims("ann", "READER")
                .issueTime(in(Duration.ofMinutes(-40)))
                .expirationTime(in(Duration.ofMinutes(-5)))),
        "expired");
    assertRefused(
        ISSUER.token(claims("ann", "READER").expirationTime(in(Duration.ofHours(3)))),
        "at most an hour ahead");
    assertRefused(ISSUER.token(claims("ann", "READER").expirationTime(null)), "must have an exp");
    assertRefused(
        ISSUER.token(claims("ann", "READER").notBeforeTime(in(Duration.ofMinutes(5)))), "before");
    assertRefused(ISSUER.token(claims(null, "READER")), "sub");
    assertRefused(ISSUER.token(claims("a\nb", "READER")), "sub");
    assertRefused(ISSUER.token(claims("s".repeat(200), "READER")), "sub");
  }

  @Test
  void tokenForAnotherPurposeIsRefused() throws JOSEException {
    SignedJWT token =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.RS256)
                .type(new JOSEObjectType("logout+jwt"))
                .keyID(ISSUER.rsa().getKeyID())
                .build(),
            claims("ann", "READER").build());
    token.sign(FakeIssuer.signer(ISSUER.rsa()));
    assertRefused(token.serialize(), "typ");
  }

  @Test
  void issuerIsNotAskedForEachTokenAndItsNewKeyCounts() {
    assertThat(me(ISSUER.token(claims("ann", "READER"))).status()).isEqualTo(200);
    int before = ISSUER.asked();
    for (int i = 0; i < 20; i++) {
      assertThat(me(ISSUER.token(claims("ann" + i, "READER"))).status()).isEqualTo(200);
    }
    assertThat(ISSUER.asked()).isEqualTo(before);

    ISSUER.rotate("rsa-" + System.identityHashCode(this));
    String token = ISSUER.token(claims("ann", "READER"));
    await().atMost(SOON).until(() -> me(token).status() == 200);
    assertThat(ISSUER.asked()).isGreaterThan(before).isLessThan(before + 10);
  }

  @Test
  void issuerThatAnswersByteByByteKeepsNoThread() throws JOSEException {
    RSAKey own = new RSAKeyGenerator(2048).generate();
    String ofUnknownKey =
        FakeIssuer.signed(
            JWSAlgorithm.RS256, "dripping", claims("ann", "READER"), FakeIssuer.signer(own));
    ISSUER.drip();
    try {
      int before = ISSUER.asked();
      await()
          .atMost(SOON)
          .until(
              () -> {
                long begin = System.nanoTime();
                me(ofUnknownKey);
                assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(SOON);
                return ISSUER.asked() > before;
              });
    } finally {
      ISSUER.wake();
    }
  }

  @Test
  void streamEndsWithItsToken() throws InterruptedException {
    String token =
        ISSUER.token(
            claims("brief", "READER")
                .issueTime(in(Duration.ofMinutes(-40)))
                .expirationTime(in(Duration.ofSeconds(-50)))); // a minute is for the clocks
    try (EventStream<FollowedEvent> stream = client(token).events().open(EventFilter.ALL, null)) {
      for (FollowedEvent next = stream.next(); next != null; ) {
        next = stream.next();
      }
    }
    assertRefused(token, "expired");
  }

  @Test
  void subjectHasSoManyStreamsAtOnce() {
    String token = ISSUER.token(claims("greedy", "READER"));
    try (EventStream<FollowedEvent> first = client(token).events().open(EventFilter.ALL, null);
        EventStream<FollowedEvent> second = client(token).events().open(EventFilter.ALL, null)) {
      assertThatExceptionOfType(FlowException.class)
          .isThrownBy(() -> client(token).events().open(EventFilter.ALL, null).next())
          .extracting(FlowException::errorCode)
          .isEqualTo(ErrorCode.LIMIT_EXCEEDED);
      assertThat(List.of(first, second)).doesNotContainNull();
    }
  }

  private static FlowClient client(String token) {
    return new HttpFlowClient(wire.request("").build().uri(), token, Duration.ofSeconds(60));
  }

  @Test
  void deniedSubjectIsRefusedUntilItIsLetInAgain() {
    String token = ISSUER.token(claims("leaver", "READER"));
    assertThat(me(token).status()).isEqualTo(200);
    String principal = me(token).result().path("principal").asString();
    String deny = "{'principal':'" + principal + "','reason':'left'";
    assertThat(post("/api/key/deny", deny + "}", token).status()).isEqualTo(403);

    String ofATenant =
        post(
                "/api/key/create",
                "{'name':'tenant','roles':['ADMIN'],'types':['acme_*']}",
                KeysServers.ENVIRONMENT_KEY)
            .result()
            .path("key")
            .asString();
    assertThat(post("/api/key/deny", deny + "}", ofATenant).code()).isEqualTo(8073);

    for (String other : List.of("key:3Qm0000000", "env:FLOW_API_KEY", "local")) {
      String ofOther = "{'principal':'" + other + "','reason':'left'}";
      assertThat(post("/api/key/deny", ofOther, KeysServers.ENVIRONMENT_KEY).code())
          .as(other)
          .isEqualTo(8020);
    }
    assertThat(post("/api/key/deny", deny + "}", KeysServers.ENVIRONMENT_KEY).status())
        .isEqualTo(200);
    assertThat(me(token).status()).isIn(401, 429);
    assertThat(me(ISSUER.token(claims("leaver", "READER"))).status()).isIn(401, 429);
    assertThat(me(ISSUER.token(claims("stayer", "READER"))).status()).isEqualTo(200);

    assertThat(denied(ofATenant).code()).isEqualTo(8073);
    assertThat(denied(KeysServers.ENVIRONMENT_KEY).result().path("deniedList").toString())
        .contains("\"principal\":\"" + principal + "\",\"untilTime\":");

    String again = "{'principal':'leaver','seconds':0}";
    assertThat(post("/api/key/deny", again, KeysServers.ENVIRONMENT_KEY).status()).isEqualTo(200);
    assertThat(me(token).status()).isEqualTo(200);
    assertThat(denied(KeysServers.ENVIRONMENT_KEY).http().body()).doesNotContain(principal);
    assertThat(
            SERVERS
                .sql()
                .sql("SELECT actor FROM t_act WHERE act = 'DENY' AND object = ?")
                .param(principal)
                .query(String.class)
                .list())
        .containsExactly("env:FLOW_API_KEY", "env:FLOW_API_KEY");
  }

  @Test
  void whoIsNotDeniedIsNotLetInAgainAndKeepsItsSessions() {
    String token = ISSUER.token(claims("stranger", "READER"));
    String principal = me(token).result().path("principal").asString();
    Answer logIn = post("/api/session", "{}", token);
    String cookie =
        logIn.http().headers().firstValue("Set-Cookie").orElseThrow().replaceFirst(";.*", "");

    String allow = "{'principal':'stranger','seconds':0}";
    Answer answer = post("/api/key/deny", allow, KeysServers.ENVIRONMENT_KEY);
    assertThat(answer.status()).isEqualTo(409);
    assertThat(answer.code()).isEqualTo(8051);
    assertThat(answer.msg()).contains(principal);

    assertThat(wire.send(wire.request("/api/key/me").header("Cookie", cookie)).status())
        .isEqualTo(200);
    for (String table : List.of("t_access_denied WHERE principal", "t_act WHERE object")) {
      assertThat(
              SERVERS
                  .sql()
                  .sql("SELECT COUNT(*) FROM " + table + " = ?")
                  .param(principal)
                  .query(Integer.class)
                  .single())
          .as(table)
          .isZero();
    }
  }

  private static Answer denied(String key) {
    return post("/api/key/denied", "{}", key);
  }

  @Test
  void deniedCallersAreListedInPages() {
    for (String subject : List.of("c", "a", "b")) {
      post(
          "/api/key/deny",
          "{'principal':'oidc:https://other.example#" + subject + "'}",
          KeysServers.ENVIRONMENT_KEY);
    }
    StringBuilder listed = new StringBuilder();
    String cursor = "oidc:https://other.example#!";
    for (int i = 0; i < 3; i++) {
      Answer page =
          post(
              "/api/key/denied",
              "{'limit':1,'cursor':'" + cursor + "'}",
              KeysServers.ENVIRONMENT_KEY);
      String principal = page.result().path("deniedList").path(0).path("principal").asString();
      listed.append(principal.charAt(principal.length() - 1));
      cursor = principal;
    }
    assertThat(listed).hasToString("abc");
  }

  @Test
  void keysGoOnBesideTokens() {
    assertThat(me(KeysServers.ENVIRONMENT_KEY).result().path("kind").asString()).isEqualTo("ENV");
    Answer made =
        post(
            "/api/key/create", "{'name':'beside','roles':['READER']}", KeysServers.ENVIRONMENT_KEY);
    Answer me = me(made.result().path("key").asString());
    assertThat(me.result().path("kind").asString()).isEqualTo("KEY");
  }

  /** Its tokens may be good, so whoever sends one tries again, and is not turned away. */
  @Test
  void serverStartsWithoutItsIssuer() {
    String nobody = "http://127.0.0.1:9"; // the port of discard, where nothing listens
    Wire other =
        KeysServers.wireTo(
            SERVERS.start(
                "--flow.oidc.issuer=" + nobody, "--flow.oidc.audience=" + FakeIssuer.AUDIENCE));
    String token = ISSUER.token(claims("ann", "READER").issuer(nobody));
    for (int i = 0; i < 40; i++) {
      Answer answer =
          other.send(other.request("/api/key/me").header("Authorization", "Bearer " + token));
      assertThat(answer.status()).isEqualTo(503);
      assertThat(answer.body().path("retryable").asBoolean()).isTrue();
    }
  }

  @Test
  void settingsThatWouldBeUnsafeAreRefused() {
    assertNotStarted("FLOW_OIDC_AUDIENCE", "--flow.oidc.issuer=https://issuer.example");
    assertNotStarted(
        "FLOW_OIDC_ISSUER",
        "--flow.oidc.issuer=http://issuer.example",
        "--flow.oidc.audience=asyncflow");
    assertNotStarted(
        "FLOW_ACCESS=keys",
        "--flow.access.mode=key",
        "--flow.oidc.issuer=https://issuer.example",
        "--flow.oidc.audience=asyncflow");
  }

  private static void assertNotStarted(String words, String... settings) {
    assertThatThrownBy(() -> SERVERS.start(settings))
        .rootCause()
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining(words);
  }
}
