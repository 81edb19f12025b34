package io.asyncflow.flowsvr.edge.access.login;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jwt.JWTClaimsSet;
import io.asyncflow.flowsvr.base.system.BadSettingException;
import io.asyncflow.flowsvr.edge.access.FakeIssuer;
import io.asyncflow.flowsvr.edge.access.KeysServers;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** People log in at an issuer, begun on one server and finished on another one. */
@Tag("contract")
@Timeout(120)
class IssuerLogInIT {

  private static final String STALE = "began in another browser or too long ago";
  private static final String REDIRECT = "http://localhost:8081/console/login/issuer/return";
  private static final String COOKIE = "asyncflow-login=";
  private static final String SESSION = "asyncflow=";

  private static final FakeIssuer ISSUER = new FakeIssuer();
  private static final KeysServers SERVERS = new KeysServers("log_ins");

  private static Browser one;
  private static Browser other;

  @BeforeAll
  static void start() {
    one = new Browser(SERVERS.start(settings(ISSUER.url())));
    other = new Browser(SERVERS.start(settings(ISSUER.url())));
  }

  private static String[] settings(String issuer) {
    return new String[] {
      "--flow.oidc.issuer=" + issuer,
      "--flow.oidc.audience=" + FakeIssuer.AUDIENCE,
      "--flow.oidc.client-id=" + FakeIssuer.CLIENT,
      "--flow.oidc.client-secret=" + FakeIssuer.SECRET,
      "--flow.oidc.redirect-uri=" + REDIRECT,
      "--flow.oidc.scope=openid groups"
    };
  }

  @AfterAll
  static void stop() {
    SERVERS.close();
    ISSUER.close();
  }

  /** What a browser sends to one server, as Chrome does. */
  private static final class Browser {

    private final HttpClient http =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String base;

    Browser(ConfigurableApplicationContext server) {
      this.base = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
    }

    HttpResponse<String> open(String path, String cookie, String site) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(base + path))
              .header("Accept", "text/html")
              .header("Accept-Language", "en")
              .header("Sec-Fetch-Site", site)
              .header("Sec-Fetch-Mode", "navigate")
              .header("Sec-Fetch-Dest", "document");
      if (!cookie.isEmpty()) {
        request.header("Cookie", cookie);
      }
      return send(request);
    }

    /** Somebody presses the button of the page to log in. */
    Begun begin(String to) {
      HttpResponse<String> answer =
          open("/console/login/issuer?to=" + encoded(to), "", "same-origin");
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(303);
      return new Begun(location(answer), cookie(answer, COOKIE));
    }

    /** The issuer sends the browser back. */
    HttpResponse<String> comeBack(Map<String, String> fields, String cookie) {
      StringBuilder query = new StringBuilder();
      fields.forEach(
          (name, value) -> query.append('&').append(name).append('=').append(encoded(value)));
      return open("/console/login/issuer/return?" + query.substring(1), cookie, "cross-site");
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
      try {
        return http.send(request.timeout(Duration.ofSeconds(60)).build(), BodyHandlers.ofString());
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private record Begun(URI address, String cookie) {

    Map<String, String> asked() {
      return FakeIssuer.fields(address.getRawQuery());
    }

    /** The fields with which the issuer sends the browser back. */
    Map<String, String> answer(String code) {
      return Map.of("code", code, "state", asked().get("state"), "iss", ISSUER.url());
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static URI location(HttpResponse<String> answer) {
    return URI.create(answer.headers().firstValue("Location").orElseThrow());
  }

  private static String cookie(HttpResponse<String> answer, String name) {
    return answer.headers().allValues("Set-Cookie").stream()
        .filter(cookie -> cookie.startsWith(name))
        .map(cookie -> cookie.split(";")[0])
        .findFirst()
        .orElse("");
  }

  private static JWTClaimsSet.Builder person(String... roles) {
    return ISSUER.claims("ann", roles);
  }

  /** A log-in that somebody has begun, and the issuer has let in. */
  private static HttpResponse<String> logIn(JWTClaimsSet.Builder claims) {
    Begun begun = one.begin("/console/jobs");
    return one.comeBack(begun.answer(ISSUER.logIn(begun.address(), claims)), begun.cookie());
  }

  /** The address that has the code in it is left. */
  private static void assertRefused(HttpResponse<String> answer, String sentence) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(303);
    assertThat(location(answer).toString()).startsWith("/console/login?to=%2Fconsole");
    HttpResponse<String> page = one.open(location(answer).toString(), "", "cross-site");
    assertThat(page.statusCode()).as(page.body()).isEqualTo(200);
    assertThat(page.body()).startsWith("<!DOCTYPE html>").contains(sentence);
    assertThat(cookie(answer, SESSION)).isEmpty();
    boolean isGone =
        answer.headers().allValues("Set-Cookie").stream()
            .anyMatch(cookie -> cookie.startsWith(COOKIE + ";") && cookie.contains("Max-Age=0"));
    assertThat(isGone).as("what was kept is gone").isEqualTo(!sentence.contains(STALE));
  }

  @Test
  void whoIsRefusedCanBeginAgainForTheSamePage() {
    HttpResponse<String> refused = logIn(person("EMPEROR"));
    assertThat(location(refused)).hasToString("/console/login?to=%2Fconsole%2Fjobs&why=no_rights");
    assertThat(one.open(location(refused).toString(), "", "cross-site").body())
        .contains("href=\"/console/login/issuer?to=%2Fconsole%2Fjobs\"");
    assertThat(one.open("/console/login?why=%3Cb%3Ebold", "", "none").body())
        .doesNotContain("role=\"alert\"")
        .doesNotContain("bold");
  }

  @Test
  void pageToLogInHasTheButton() {
    assertThat(one.open("/console/login?to=/console/jobs", "", "none").body())
        .contains("Log in with your organization")
        .contains("href=\"/console/login/issuer?to=%2Fconsole%2Fjobs\"");
  }

  @Test
  void personIsSentToTheIssuerWithWhatOnlyThisBrowserCanFinish() {
    Begun begun = one.begin("/console/jobs");
    assertThat(begun.address().toString()).startsWith(ISSUER.url() + "/page?");
    assertThat(begun.asked())
        .containsEntry("theme", "dark")
        .containsEntry("response_type", "code")
        .containsEntry("client_id", FakeIssuer.CLIENT)
        .containsEntry("redirect_uri", REDIRECT)
        .containsEntry("scope", "openid groups")
        .containsEntry("code_challenge_method", "S256")
        .containsKeys("state", "nonce", "code_challenge");
    Begun again = one.begin("/console/jobs");
    for (String name : List.of("state", "nonce", "code_challenge")) {
      assertThat(again.asked().get(name)).isNotEqualTo(begun.asked().get(name));
      assertThat(begun.cookie()).doesNotContain(begun.asked().get(name));
    }
    HttpResponse<String> answer = one.open("/console/login/issuer", "", "same-origin");
    assertThat(answer.headers().firstValue("Set-Cookie").orElseThrow())
        .contains("; Path=/; Max-Age=600;")
        .contains("; HttpOnly; SameSite=Lax");
  }

  @Test
  void anotherServerFinishesWhatOneBegan() {
    Begun begun = one.begin("/console/jobs?x=1");
    String code = ISSUER.logIn(begun.address(), person("OPERATOR", "EMPEROR"));
    HttpResponse<String> back = other.comeBack(begun.answer(code), begun.cookie());
    assertThat(back.statusCode()).as(back.body()).isEqualTo(303);
    assertThat(location(back)).hasToString("/console/jobs?x=1");
    String session = cookie(back, SESSION);

    for (Browser browser : List.of(one, other)) {
      HttpResponse<String> page = browser.open("/console/jobs", session, "cross-site");
      assertThat(page.statusCode()).as("where the issuer's redirect ends").isEqualTo(200);
      String me = browser.open("/api/key/me", session, "same-origin").body();
      assertThat(me)
          .contains("\"principal\":\"oidc:" + ISSUER.url() + "#ann\"")
          .contains("\"kind\":\"SESSION\"")
          .contains("\"roles\":[\"OPERATOR\"]");
    }
    assertThat(
            SERVERS
                .sql()
                .sql("SELECT COUNT(*) FROM t_act WHERE act = 'LOG_IN' AND actor = ?")
                .param("oidc:" + ISSUER.url() + "#ann")
                .query(Integer.class)
                .single())
        .isPositive();
  }

  @Test
  void pageOfAnotherSiteReadsNothingAndBeginsNothing() {
    String session = cookie(logIn(person("ADMIN")), SESSION);
    HttpRequest.Builder framed =
        HttpRequest.newBuilder(URI.create(one.base + "/console/jobs"))
            .header("Cookie", session)
            .header("Sec-Fetch-Site", "cross-site")
            .header("Sec-Fetch-Mode", "navigate")
            .header("Sec-Fetch-Dest", "iframe");
    assertThat(one.send(framed).statusCode()).isEqualTo(403);
    assertThat(one.open("/api/key/me", session, "cross-site").statusCode()).isEqualTo(403);
    HttpResponse<String> begun = one.open("/console/login/issuer", "", "cross-site");
    assertThat(begun.statusCode()).isEqualTo(403);
    assertThat(begun.headers().firstValue("Set-Cookie")).isEmpty();
  }

  @Test
  void sessionEndsAsTheIssuerWantsAndWithItsLogOut() {
    Instant end = Instant.ofEpochSecond(Instant.now().getEpochSecond() + 600);
    String session = cookie(logIn(person("READER").expirationTime(Date.from(end))), SESSION);
    String me = one.open("/api/key/me", session, "same-origin").body();
    assertThat(me).contains("\"expireTime\":" + end.toEpochMilli());
    String longer =
        cookie(
            logIn(person("READER").expirationTime(Date.from(end.plus(Duration.ofDays(2))))),
            SESSION);
    long latest = Instant.now().plus(Duration.ofHours(8)).plusSeconds(60).toEpochMilli();
    String until =
        one.open("/api/key/me", longer, "same-origin")
            .body()
            .replaceFirst("(?s).*\"expireTime\":([0-9]+).*", "$1");
    assertThat(Long.parseLong(until)).isLessThan(latest);

    String token = me.replaceFirst("(?s).*\"csrfToken\":\"([^\"]+)\".*", "$1");
    HttpResponse<String> out =
        one.send(
            HttpRequest.newBuilder(URI.create(one.base + "/console/logout"))
                .header("Cookie", session)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString("csrf=" + encoded(token))));
    assertThat(out.statusCode()).isEqualTo(303);
    assertThat(one.open("/console/jobs", session, "none").statusCode()).isEqualTo(303);
  }

  @Test
  void wrongStateIsRefusedBeforeTheIssuerIsAsked() {
    Begun begun = one.begin("/console");
    Begun another = one.begin("/console");
    String code = ISSUER.logIn(begun.address(), person("ADMIN"));
    int before = ISSUER.exchanges();
    assertRefused(one.comeBack(begun.answer(code), another.cookie()), STALE);
    assertRefused(one.comeBack(begun.answer(code), ""), STALE);
    assertRefused(one.comeBack(begun.answer(code), COOKIE + "e30.e30.e30.e30.e30"), STALE);
    assertRefused(one.comeBack(begun.answer(code), begun.cookie() + "A"), STALE);
    assertRefused(one.comeBack(Map.of("code", code, "iss", ISSUER.url()), begun.cookie()), STALE);
    assertRefused(
        one.open(
            "/console/login/issuer/return?code=a&code=b&state=" + begun.asked().get("state"),
            begun.cookie(),
            "cross-site"),
        STALE);
    assertRefused(
        one.open(
            "/console/login/issuer/return?code=%20&state=" + begun.asked().get("state"),
            begun.cookie(),
            "cross-site"),
        STALE);
    assertThat(ISSUER.exchanges()).isEqualTo(before);
  }

  @Test
  void logInOutlivesTheAnswerToAnother() {
    Begun begun = one.begin("/console");
    String code = ISSUER.logIn(begun.address(), person("ADMIN"));
    HttpResponse<String> stale =
        one.comeBack(Map.of("code", "x", "state", "of-another"), begun.cookie());
    assertThat(stale.headers().allValues("Set-Cookie")).isEmpty();

    assertThat(location(one.comeBack(begun.answer(code), begun.cookie()))).hasToString("/console");
  }

  @Test
  void answerOfAnotherIssuerIsRefusedBeforeTheIssuerIsAsked() {
    Begun begun = one.begin("/console");
    String code = ISSUER.logIn(begun.address(), person("ADMIN"));
    String state = begun.asked().get("state");
    int before = ISSUER.exchanges();
    for (Map<String, String> answer :
        List.of(
            Map.of("code", code, "state", state),
            Map.of("code", code, "state", state, "iss", "https://evil.example"))) {
      assertRefused(one.comeBack(answer, begun.cookie()), "cannot be trusted");
    }
    assertThat(ISSUER.exchanges()).isEqualTo(before);
  }

  @Test
  void tokenOfAnotherLogInOrClientIsRefused() {
    assertRefused(logIn(person("ADMIN").claim("nonce", "of another log-in")), "cannot be trusted");
    assertRefused(logIn(person("ADMIN").issuer("https://evil.example")), "cannot be trusted");
    assertRefused(logIn(person("ADMIN").claim("azp", "another")), "cannot be trusted");
    assertRefused(
        logIn(person("ADMIN").expirationTime(Date.from(Instant.now().minusSeconds(300)))),
        "cannot be trusted");
    assertRefused(
        logIn(person("ADMIN").expirationTime(Date.from(Instant.now().minusSeconds(20)))),
        "cannot be trusted");
  }

  @Test
  void codeIsGoodOnce() {
    Begun begun = one.begin("/console");
    String code = ISSUER.logIn(begun.address(), person("ADMIN"));
    assertThat(one.comeBack(begun.answer(code), begun.cookie()).statusCode()).isEqualTo(303);
    HttpResponse<String> again = one.comeBack(begun.answer(code), begun.cookie());
    assertRefused(again, "cannot be trusted");
    assertThat(again.body() + location(again))
        .doesNotContain("no</b>")
        .doesNotContain("invalid_grant");
  }

  @ParameterizedTest
  @ValueSource(ints = {500, 503, 429})
  void issuerInTroubleIsNotTakenForOneThatCannotBeTrusted(int status) {
    Begun begun = one.begin("/console");
    String code = ISSUER.logIn(begun.address(), person("READER"));
    ISSUER.fail(status);
    HttpResponse<String> answer;
    try {
      answer = one.comeBack(begun.answer(code), begun.cookie());
    } finally {
      ISSUER.wake();
    }
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).startsWith("<!DOCTYPE html>").contains("does not answer");
    assertThat(answer.headers().allValues("Set-Cookie")).as("a reload tries again").isEmpty();
  }

  @Test
  void errorOfTheIssuerIsOneSentenceOfOurs() {
    Begun begun = one.begin("/console");
    HttpResponse<String> answer =
        one.comeBack(
            Map.of(
                "error", "access_denied",
                "error_description", "<script>alert(1)</script>",
                "error_uri", "https://evil.example",
                "state", begun.asked().get("state"),
                "iss", ISSUER.url()),
            begun.cookie());
    assertRefused(answer, "did not let you in");
    assertThat(answer.body() + location(answer))
        .doesNotContain("alert")
        .doesNotContain("evil.example");
  }

  @Test
  void personWithoutARoleOrWhoIsDeniedGetsNoSession() {
    assertRefused(logIn(person("EMPEROR")), "has no rights here");
    HttpResponse<String> denied =
        one.send(
            HttpRequest.newBuilder(URI.create(one.base + "/api/key/deny"))
                .header("Authorization", "Bearer " + KeysServers.ENVIRONMENT_KEY)
                .header("Content-Type", "application/json")
                .POST(
                    BodyPublishers.ofString(
                        "{\"principal\":\"oidc:" + ISSUER.url() + "#leaver\"}")));
    assertThat(denied.statusCode()).isEqualTo(200);
    assertRefused(logIn(ISSUER.claims("leaver", "ADMIN")), "has no rights here");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://evil.example/",
        "//evil.example",
        "/console/\\evil.example",
        "/\\evil.example",
        "/consoles",
        "javascript:alert(1)",
        "/console/{",
        "/console/%zz",
        "/console/\r\nLocation: https://evil.example"
      })
  void logInLeadsToNoOtherSite(String to) {
    Begun begun = one.begin(to);
    String code = ISSUER.logIn(begun.address(), person("READER"));
    assertThat(location(one.comeBack(begun.answer(code), begun.cookie()))).hasToString("/console");
  }

  @Test
  void longAddressIsNotKept() {
    Begun begun = one.begin("/console/jobs?x=" + "a".repeat(3_000));
    assertThat(begun.cookie()).hasSizeLessThan(2_000);
  }

  /** An office shares its address with a program that has a wrong key. */
  @Test
  void addressThatIsTurnedAwayForItsKeysLogsIn() {
    int status = 0;
    for (int i = 0; i < 40 && status != 429; i++) {
      status =
          one.send(
                  HttpRequest.newBuilder(URI.create(one.base + "/api/key/me"))
                      .header("Authorization", "Bearer wrong"))
              .statusCode();
    }
    assertThat(status).isEqualTo(429);
    Begun begun = one.begin("/console");
    Map<String, String> declined =
        Map.of("error", "access_denied", "state", begun.asked().get("state"), "iss", ISSUER.url());
    assertRefused(one.comeBack(declined, begun.cookie()), "did not let you in");
    assertThat(location(logIn(person("READER")))).hasToString("/console/jobs");
  }

  @Test
  void slowIssuerTakesFewThreadsAndNobodyElseWaits() {
    Begun begun = one.begin("/console");
    int before = ISSUER.exchanges();
    ISSUER.sleep();
    try {
      List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
      IntStream.range(0, 60)
          .forEach(
              i ->
                  waiting.add(
                      CompletableFuture.supplyAsync(
                          () -> one.comeBack(begun.answer("made-up-" + i), begun.cookie()),
                          command -> new Thread(command).start())));
      List<Integer> statuses =
          waiting.stream().map(answer -> answer.join().statusCode()).distinct().toList();
      assertThat(statuses).containsExactly(503);
      assertThat(ISSUER.exchanges() - before).as("asked").isBetween(1, 10);
      assertThat(one.open("/console/login", "", "none").statusCode()).isEqualTo(200);
      assertThat(one.begin("/console").cookie()).as("nothing is to be asked").isNotEmpty();
    } finally {
      ISSUER.wake();
    }
    assertThat(logIn(person("READER")).statusCode()).isEqualTo(303);
  }

  @Test
  void serverWithoutItsIssuerStartsAndSaysSo() {
    String nobody = "http://127.0.0.1:9"; // the port of discard, where nothing listens
    Browser alone = new Browser(SERVERS.start(settings(nobody)));
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> answer = alone.open("/console/login/issuer", "", "same-origin");
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body()).startsWith("<!DOCTYPE html>").contains("does not answer");
      assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
    }
  }

  @Test
  void settingsWithWhichNobodyCouldLogInSafelyAreRefused() {
    assertNotStarted("FLOW_OIDC_ISSUER", "--flow.oidc.issuer=");
    assertNotStarted("FLOW_OIDC_CLIENT_SECRET", "--flow.oidc.client-secret=");
    assertNotStarted("FLOW_OIDC_SCOPE", "--flow.oidc.scope=groups openidx");
    for (String redirect :
        List.of(
            "",
            "http://flow.example/console/login/issuer/return",
            "https://flow.example/console",
            "https://flow.example/console/login/issuer/return?x=1",
            "https://flow.example/login/issuer/return", // of another console than this one
            "/console/login/issuer/return")) {
      assertNotStarted("FLOW_OIDC_REDIRECT_URI", "--flow.oidc.redirect-uri=" + redirect);
    }
  }

  private static void assertNotStarted(String words, String setting) {
    List<String> all = new ArrayList<>(List.of(settings(ISSUER.url())));
    all.add(setting);
    assertThatThrownBy(() -> SERVERS.start(all.toArray(String[]::new)))
        .rootCause()
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining(words);
  }
}
