package io.asyncflow.dev.command.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.dev.command.ScriptedServer;
import io.asyncflow.dev.command.option.Terminal;
import io.asyncflow.dev.host.OwnerOnlyFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command against a server that says what a test wants. */
@Timeout(60)
class KeyCommandTest {
  private static final String ISSUED =
      "{\"keyId\":\"3Qm81LtzGh\",\"key\":\"afk_3Qm81LtzGh_secret\",\"expireTime\":1795399200000}";

  @TempDir Path directory;
  private ScriptedServer server;

  @BeforeEach
  void start() throws IOException {
    server =
        new ScriptedServer(
            (environment, out) ->
                new Object[] {
                  new KeyCommand(
                      new Terminal(environment, out, System.err, ZoneId.of("Europe/Berlin")))
                });
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aNewKeyIsPrintedAloneSoThatAScriptCanTakeIt() {
    server.answers(ISSUED);
    assertThat(
            run(
                "create",
                "gpu fleet",
                "--role",
                "worker",
                "--type",
                "tts,acme_*",
                "--stage",
                "speak",
                "--user",
                "acme/*",
                "--workers",
                "gpu-",
                "--expire",
                "30d",
                "--rate-limit",
                "50",
                "--cert-san",
                "spiffe://acme/gpu",
                "--not-before",
                "2026-12-01"))
        .isZero();
    assertThat(server.printed()).containsExactly("afk_3Qm81LtzGh_secret");
    assertThat(server.asked)
        .containsExactly(
            "key/create {\"name\":\"gpu fleet\",\"roles\":[\"worker\"],\"types\":[\"tts\",\"acme_*\"],"
                + "\"stages\":[\"speak\"],\"users\":[\"acme/*\"],\"workerPrefix\":\"gpu-\","
                + "\"expireDays\":30,\"rateLimit\":50,\"certSan\":\"spiffe://acme/gpu\","
                + "\"notBefore\":1796079600000}");
  }

  @Test
  void aFileWithAKeyIsForItsOwnerAlone() throws IOException {
    Path file = directory.resolve("key");
    server.answers(ISSUED);
    assertThat(run("rotate", "3Qm81LtzGh", "--overlap", "2h", "--out", file.toString())).isZero();
    assertThat(file).hasContent("afk_3Qm81LtzGh_secret");
    assertThat(OwnerOnlyFiles.permissionsOf(file)).isEqualTo("rw-------");
    assertThat(server.printed()).containsExactly("Written into " + file + ".");
    assertThat(server.asked)
        .containsExactly("key/rotate {\"keyId\":\"3Qm81LtzGh\",\"overlapSeconds\":7200}");
  }

  @Test
  void aNewKeyIsPrintedAsJsonButNotIfItIsInAFile() {
    Path file = directory.resolve("key");
    server.answers(ISSUED);
    server.answers(ISSUED);
    assertThat(run("create", "a", "--role", "READER", "--json")).isZero();
    assertThat(run("rotate", "3Qm81LtzGh", "--out", file.toString(), "--json")).isZero();
    assertThat(server.printed())
        .containsExactly(ISSUED, "{\"keyId\":\"3Qm81LtzGh\",\"expireTime\":1795399200000}");
    assertThat(file).hasContent("afk_3Qm81LtzGh_secret");
  }

  @Test
  void aFileThatMayHaveAKeyInItIsNotReplacedByANewOne() throws IOException {
    Path file = Files.writeString(directory.resolve("root.key"), "the only copy");
    for (String[] more : new String[][] {{}, {"--direct"}}) {
      assertThat(
              run(
                  Stream.concat(
                          Stream.of("create", "a", "--role", "ADMIN", "--out", file.toString()),
                          Stream.of(more))
                      .toArray(String[]::new)))
          .isEqualTo(2);
    }
    assertThat(server.errors())
        .contains("asyncflow: --out: " + file + " exists already; name a new file.");
    assertThat(server.asked).isEmpty();
    assertThat(file).hasContent("the only copy");
  }

  @Test
  void noKeyIsMadeThatCouldNotBeWritten() {
    Path nowhere = directory.resolve("no/such/key");
    assertThat(run("create", "a", "--role", "READER", "--out", nowhere.toString())).isEqualTo(2);
    assertThat(server.errors()).anyMatch(line -> line.contains("no file can be written in"));
    assertThat(server.asked).isEmpty();
  }

  @Test
  void keysAreATable() {
    server.answers(
        """
        {"keyList":[{"keyId":"3Qm81LtzGh","name":"gpu fleet","roles":["WORKER","SUBMITTER"],
          "types":["tts","acme_*"],"stages":["speak"],"users":["*"],"workerPrefix":"",
          "createdBy":"local","createTime":1,"expireTime":1795399200000,"state":"ACTIVE","rateLimit":50}],
         "nextCursor":"1-3Qm81LtzGh"}
        """);
    server.answers("{\"keyList\":[]}");
    assertThat(run("list", "--state", "active")).isZero();
    assertThat(server.printed())
        .containsExactly(
            "ID          NAME       STATE   ROLES             TYPES       STAGES  USERS  RATE"
                + "  CERTIFICATE  BEGINS  EXPIRES                    LAST USED",
            "3Qm81LtzGh  gpu fleet  ACTIVE  SUBMITTER,WORKER  acme_*,tts  speak   *      50/s"
                + "  -            -       2026-11-23 03:00:00+01:00  -");
    assertThat(server.asked)
        .containsExactly(
            "key/list {\"state\":\"ACTIVE\"}",
            "key/list {\"state\":\"ACTIVE\",\"cursor\":\"1-3Qm81LtzGh\"}");
  }

  @Test
  void aKeyIsRevokedWithItsReason() {
    assertThat(run("revoke", "3Qm81LtzGh", "--reason", "leaked")).isZero();
    assertThat(server.printed()).containsExactly("Revoked.");
    assertThat(server.asked)
        .containsExactly("key/revoke {\"keyId\":\"3Qm81LtzGh\",\"reason\":\"leaked\"}");
  }

  @Test
  void aCallerWithTokensIsDeniedAndLetInAgain() {
    server.answers(
        """
        {"deniedList":[{"principal":"oidc:https://issuer.example#ann","untilTime":1795399200000}],
         "nextCursor":"oidc:https://issuer.example#ann"}
        """);
    server.answers("{\"deniedList\":[]}");
    assertThat(run("list", "--denied")).isZero();
    assertThat(run("deny", "ann", "--for", "2h", "--reason", "has left")).isZero();
    assertThat(run("allow", "oidc:https://issuer.example#ann")).isZero();
    assertThat(server.printed())
        .containsExactly(
            "CALLER                           UNTIL",
            "oidc:https://issuer.example#ann  2026-11-23 03:00:00+01:00",
            "Denied.",
            "Allowed.");
    assertThat(server.asked)
        .containsExactly(
            "key/denied {}",
            "key/denied {\"cursor\":\"oidc:https://issuer.example#ann\"}",
            "key/deny {\"principal\":\"ann\",\"seconds\":7200,\"reason\":\"has left\"}",
            "key/deny {\"principal\":\"oidc:https://issuer.example#ann\",\"seconds\":0}");
  }

  @Test
  void theCallerIsToldWhoItIs() {
    server.answers(
        """
        {"principal":"key:3Qm81LtzGh","kind":"KEY","roles":["WORKER"],"verbs":["WORK_HOLD"],
         "types":["tts"],"stages":["*"],"users":["*"],"workerPrefix":"gpu-",
         "expireTime":1795399200000,"certSan":"spiffe://acme/gpu"}
        """);
    assertThat(run("me")).isZero();
    assertThat(server.printed())
        .containsExactly(
            "caller   key:3Qm81LtzGh",
            "roles    WORKER",
            "types    tts",
            "stages   *",
            "users    *",
            "workers  gpu-*",
            "rate     -",
            "cert     spiffe://acme/gpu",
            "expires  2026-11-23 03:00:00+01:00");
  }

  @Test
  void whatTheServerRefusesFails() {
    server.refuses(8075, "a live key has this name");
    assertThat(run("create", "a", "--role", "READER")).isEqualTo(1);
    assertThat(server.errors()).containsExactly("asyncflow: a live key has this name (8075)");
  }

  @Test
  void directMakesNothingButAdminKeysForEverything() {
    assertThat(run("create", "a", "--role", "WORKER", "--direct")).isEqualTo(2);
    assertThat(run("create", "a", "--role", "ADMIN", "--type", "tts", "--direct")).isEqualTo(2);
    assertThat(run("create", "a", "--role", "ADMIN", "--direct")).isEqualTo(2);
    assertThat(server.errors())
        .anyMatch(line -> line.contains("--direct makes ADMIN keys for everything alone"))
        .anyMatch(line -> line.contains("--direct needs the database: set FLOW_MYSQL_URL"));
    assertThat(server.asked).isEmpty();
  }

  @Test
  void whatIsNotUnderstoodIsTwo() {
    assertThat(run("create", "a")).isEqualTo(2);
    assertThat(run("create", "a", "--role", "READER", "--expire", "800d")).isEqualTo(2);
    assertThat(run("rotate", "a", "--overlap", "soon")).isEqualTo(2);
    assertThat(server.errors())
        .contains(
            "asyncflow: create needs --role ROLE.",
            "asyncflow: --expire wants days from 1d to 730d, not 800d.",
            "asyncflow: --overlap wants a time such as 30s or 2d, not soon.");
    assertThat(server.asked).isEmpty();
  }

  private int run(String... arguments) {
    return server.run(Stream.concat(Stream.of("key"), Stream.of(arguments)).toArray(String[]::new));
  }
}
