package io.asyncflow.dev.command.access;

import io.asyncflow.api.key.DeniedCaller;
import io.asyncflow.api.key.IssuedKey;
import io.asyncflow.api.key.KeyClient;
import io.asyncflow.api.key.KeyState;
import io.asyncflow.api.key.ListedKey;
import io.asyncflow.api.key.Me;
import io.asyncflow.api.key.NewKey;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.command.option.Argument;
import io.asyncflow.dev.command.option.CommandEntry;
import io.asyncflow.dev.command.option.Run;
import io.asyncflow.dev.command.option.Terminal;
import io.asyncflow.dev.environment.DirectKeys;
import io.asyncflow.dev.host.FileTree;
import io.asyncflow.dev.host.OwnerOnly;
import io.asyncflow.dev.text.Layout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine.TypeConversionException;

/** {@code ./asyncflow key}: makes, lists and ends the access keys of a server somewhere. */
public final class KeyCommand extends CommandEntry {
  private static final int DEFAULT_DAYS = 90;
  private static final int MOST_DAYS = 730;
  private static final String ADMIN = "ADMIN";

  private static final Argument<Path> OUT =
      option(
              "--out",
              "FILE",
              "write the key into this file, for its owner alone, and do not print it;",
              "a rotation replaces the file, create does not")
          .as(Path.class);
  private static final Argument<String> ID = parameter("ID", "the id of the key, as list shows it");
  private static final Argument<String> SUBJECT =
      parameter(
          "SUBJECT",
          "as the issuer calls it (sub), or the whole principal, oidc:{iss}#{sub}, as audit list"
              + " has it");

  private static final Layout<ListedKey> KEYS =
      new Layout<ListedKey>()
          .value("ID", ListedKey::keyId)
          .value("NAME", ListedKey::name)
          .value("STATE", ListedKey::state)
          .value("ROLES", key -> sorted(key.roles()))
          .value("TYPES", key -> sorted(key.types()))
          .value("STAGES", key -> sorted(key.stages()))
          .value("USERS", key -> sorted(key.users()))
          .value("RATE", key -> rate(key.rateLimit()))
          .value("CERTIFICATE", key -> Objects.requireNonNullElse(key.certSan(), "-"))
          .time("BEGINS", ListedKey::notBefore)
          .time("EXPIRES", ListedKey::expireTime)
          .time("LAST USED", ListedKey::lastUsedTime);

  private static final Layout<DeniedCaller> CALLERS =
      new Layout<DeniedCaller>()
          .value("CALLER", DeniedCaller::principal)
          .time("UNTIL", DeniedCaller::untilTime);

  public KeyCommand(Terminal terminal) {
    super(terminal, "key");
    says(
        "Makes, lists and ends access keys, with which callers prove who they are, and denies"
            + " callers with tokens.");
    addCreate();
    addList();
    Argument<Duration> overlap =
        option("--overlap", "TIME", "both are good for so long (${DEFAULT-VALUE}), at most 30d")
            .span()
            .byDefault("1d");
    command("rotate", ID, overlap, OUT, JSON)
        .says(
            "Makes a key with the rights of another one and prints it. The other one expires after"
                + " the overlap.")
        .does(run -> hand(run, () -> run.flow().keys().rotate(run.get(ID), run.get(overlap))));
    command("revoke", ID, REASON)
        .says("Ends a key, and its calls under way.")
        .does("Revoked.", run -> run.flow().keys().revoke(run.get(ID), run.reason()));
    Argument<Duration> time =
        option("--for", "TIME", "for so long (${DEFAULT-VALUE}), at most 30d")
            .span()
            .byDefault("1d");
    command("deny", SUBJECT, time, REASON)
        .says(
            "Refuses a caller with tokens of the issuer, and ends its sessions. Take it out at the"
                + " issuer, too, before the time is over.")
        .does(
            "Denied.",
            run -> run.flow().keys().deny(run.get(SUBJECT), run.get(time), run.reason()));
    command("allow", SUBJECT, REASON)
        .says("Lets a caller in again that was denied.")
        .does("Allowed.", run -> run.flow().keys().allow(run.get(SUBJECT), run.reason()));
    command("me", JSON).says("Shows whom the server takes this key for.").does(KeyCommand::me);
  }

  private void addCreate() {
    Argument<String> name = parameter("NAME", "for people; unique among live keys");
    Argument<Set<String>> roles =
        option("--role", "ROLE", "${COMPLETION-CANDIDATES}; several with commas")
            .set(String.class)
            .among(List.of("READER", "SUBMITTER", "WORKER", "OPERATOR", ADMIN))
            .required();
    Argument<List<String>> types =
        option("--type", "TYPE", "only these task types; acme_* for all that begin so").list();
    Argument<List<String>> stages =
        option("--stage", "STAGE", "holds tasks of these stages only").list();
    Argument<List<String>> users =
        option("--user", "USER", "only in the name of these users; acme/* for all that begin so")
            .list();
    Argument<String> workers = option("--workers", "PREFIX", "only workers whose ids begin so");
    Argument<Integer> days =
        option(
                "--expire",
                "DAYS",
                "good for so long, such as 90d; otherwise as long as the server says")
            .as(Integer.class, (text, times) -> days(text));
    Argument<Integer> rate =
        option("--rate-limit", "NUMBER", "at most so many requests a second to each server")
            .as(Integer.class);
    Argument<String> certificate =
        option(
            "--cert-san",
            "NAME",
            "only for clients whose TLS certificate has this URI or DNS name; such a",
            "certificate proves the key without the key, too");
    Argument<Instant> begin =
        option(
                "--not-before",
                "TIME",
                "live from this time on, such as 2026-12-01 or 2026-12-01T09:00")
            .time();
    Argument<Boolean> direct =
        flag(
            "--direct",
            "write it into the database of FLOW_MYSQL_URL, FLOW_MYSQL_USER and",
            "FLOW_MYSQL_PASSWORD without a server, with the server's FLOW_KEY_PEPPER:",
            "the first ADMIN key, or one after all others were lost");
    command("create", name, roles, types, stages, users, workers, days, rate, certificate, begin)
        .takes(direct, OUT, JSON)
        .says("Makes a key and prints it, or writes it into a file. It is not shown again.")
        .does(
            run -> {
              Instant from = run.get(begin);
              NewKey key =
                  new NewKey(
                      run.get(name),
                      run.get(roles),
                      run.get(types),
                      run.get(stages),
                      run.get(users),
                      run.get(workers),
                      run.get(days),
                      run.get(rate),
                      run.get(certificate),
                      from == null ? null : (Long) from.toEpochMilli());
              create(run, key, run.get(direct));
            });
  }

  private void addList() {
    Argument<KeyState> state =
        option("--state", "STATE", "only ${COMPLETION-CANDIDATES}").as(KeyState.class);
    Argument<Boolean> denied = flag("--denied", "the callers that are denied, instead of keys");
    command("list", state, denied, JSON)
        .says("Shows keys, newest first.")
        .does(
            run -> {
              KeyClient keys = run.flow().keys();
              if (run.get(denied)) {
                run.table("deniedList", keys.denied(), CALLERS, "Nobody is denied.");
              } else {
                run.table("keyList", keys.list(run.get(state)), KEYS, "There are no access keys.");
              }
            });
  }

  private static int days(String text) {
    String number = text.replaceFirst("d$", "");
    if (!number.matches("[1-9][0-9]{0,2}") || Integer.parseInt(number) > MOST_DAYS) {
      throw new TypeConversionException("wants days from 1d to " + MOST_DAYS + "d, not " + text);
    }
    return Integer.parseInt(number);
  }

  private static void create(Run run, NewKey key, boolean direct) {
    Path file = run.get(OUT);
    if (direct) {
      refuseUnlessForAll(key);
      int days = Objects.requireNonNullElse(key.expireDays(), DEFAULT_DAYS);
      Duration life = Duration.ofDays(days);
      hand(run, forNew(file, () -> new DirectKeys(run.environment()).create(key, life)));
    } else {
      hand(run, forNew(file, () -> run.flow().keys().create(key)));
    }
  }

  private static void refuseUnlessForAll(NewKey key) {
    boolean isScoped =
        !key.types().isEmpty()
            || !key.stages().isEmpty()
            || !key.users().isEmpty()
            || key.workerPrefix() != null;
    if (isScoped || !key.roles().stream().allMatch(ADMIN::equalsIgnoreCase)) {
      throw new UsageException(
          "--direct makes ADMIN keys for everything alone: say --role ADMIN, and make the other"
              + " keys with that one.");
    }
  }

  /**
   * Makes the file before the key, so that no other command makes it meanwhile: the key in a file
   * that exists may be the only copy. A rotation is there to replace it.
   */
  private static Supplier<IssuedKey> forNew(Path file, Supplier<IssuedKey> maker) {
    if (file == null) {
      return maker;
    }
    return () -> {
      try {
        OwnerOnly.newFile(file);
      } catch (IOException e) {
        throw new UsageException("--out: " + file + " exists already; name a new file.");
      }
      try {
        return maker.get();
      } catch (RuntimeException e) {
        FileTree.delete(file);
        throw e;
      }
    };
  }

  /** Hands a new key over; only if that is possible, it is made. */
  private static void hand(Run run, Supplier<IssuedKey> maker) {
    Path file = run.get(OUT);
    if (file == null) {
      run.say(run.answer(maker.get()).key());
      return;
    }
    Path directory = file.toAbsolutePath().getParent();
    if (!Files.isWritable(directory)) {
      throw new UsageException("--out: no file can be written in " + directory + ".");
    }
    IssuedKey made = maker.get();
    OwnerOnly.write(file, made.key() + System.lineSeparator());
    run.answer(new IssuedKey(made.keyId(), null, made.expireTime()));
    run.say("Written into " + file + ".");
  }

  private static void me(Run run) {
    Me me = run.answer(run.flow().keys().me());
    run.say("caller   " + me.principal());
    run.say("roles    " + sorted(me.roles()));
    run.say("types    " + sorted(me.types()));
    run.say("stages   " + sorted(me.stages()));
    run.say("users    " + sorted(me.users()));
    run.say("workers  " + me.workerPrefix() + "*");
    run.say("rate     " + rate(me.rateLimit()));
    run.say("cert     " + Objects.requireNonNullElse(me.certSan(), "-"));
    run.say("expires  " + run.times().of(me.expireTime()));
  }

  private static String rate(Integer perSecond) {
    return perSecond == null ? "-" : perSecond + "/s";
  }

  private static String sorted(Collection<String> names) {
    return String.join(",", names.stream().sorted().toList());
  }
}
