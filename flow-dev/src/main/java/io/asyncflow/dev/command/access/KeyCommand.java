package io.asyncflow.dev.command.access;

import io.asyncflow.api.OneLine;
import io.asyncflow.api.key.DeniedCaller;
import io.asyncflow.api.key.DeniedPage;
import io.asyncflow.api.key.IssuedKey;
import io.asyncflow.api.key.KeyClient;
import io.asyncflow.api.key.KeyPage;
import io.asyncflow.api.key.KeyState;
import io.asyncflow.api.key.ListedKey;
import io.asyncflow.api.key.Me;
import io.asyncflow.api.key.NewKey;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.command.option.Output;
import io.asyncflow.dev.command.option.ServerCommand;
import io.asyncflow.dev.command.option.TimeSpan;
import io.asyncflow.dev.environment.DirectKeys;
import io.asyncflow.dev.environment.ServerOption;
import io.asyncflow.dev.host.FileTree;
import io.asyncflow.dev.host.OwnerOnly;
import io.asyncflow.dev.text.KeyText;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code ./asyncflow key}: makes, lists and ends the access keys of a server somewhere. */
@Command(
    name = "key",
    synopsisSubcommandLabel = "COMMAND",
    description =
        "Makes, lists and ends access keys, with which callers prove who they are, and denies callers"
            + " with tokens.")
public final class KeyCommand extends ServerCommand {
  private static final int DEFAULT_DAYS = 90;
  private static final String ADMIN = "ADMIN";
  private static final String SUBJECT =
      "as the issuer calls it (sub), or the whole principal, oidc:{iss}#{sub}, as audit list has it";
  private static final String ID = "the id of the key, as list shows it";

  public KeyCommand(Map<String, String> environment, PrintStream out, ZoneId zone) {
    super(environment, out, zone);
  }

  /** What a key may be for. */
  static final class Roles implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return List.of("READER", "SUBMITTER", "WORKER", "OPERATOR", ADMIN).iterator();
    }
  }

  /** Where a new key goes. */
  static final class OutOption {
    @Option(
        names = "--out",
        paramLabel = "FILE",
        description = {
          "write the key into this file, for its owner alone, and do not print it;",
          "a rotation replaces the file, create does not"
        })
    Path file;
  }

  /** A number of days, such as {@code 90d}. */
  static final class Days implements ITypeConverter<Integer> {
    private static final int MOST = 730;

    @Override
    public Integer convert(String text) {
      String number = text.replaceFirst("d$", "");
      if (!number.matches("[1-9][0-9]{0,2}") || Integer.parseInt(number) > MOST) {
        throw new TypeConversionException("wants days from 1d to " + MOST + "d, not " + text);
      }
      return Integer.parseInt(number);
    }
  }

  @Command(
      name = "create",
      description = "Makes a key and prints it, or writes it into a file. It is not shown again.")
  void create(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "NAME", description = "for people; unique among live keys")
          String name,
      @Option(
              names = "--role",
              paramLabel = "ROLE",
              required = true,
              split = ",",
              completionCandidates = Roles.class,
              description = "${COMPLETION-CANDIDATES}; several with commas")
          Set<String> roles,
      @Option(
              names = "--type",
              paramLabel = "TYPE",
              split = ",",
              description = "only these task types; acme_* for all that begin so")
          List<String> types,
      @Option(
              names = "--stage",
              paramLabel = "STAGE",
              split = ",",
              description = "holds tasks of these stages only")
          List<String> stages,
      @Option(
              names = "--user",
              paramLabel = "USER",
              split = ",",
              description = "only in the name of these users; acme/* for all that begin so")
          List<String> users,
      @Option(
              names = "--workers",
              paramLabel = "PREFIX",
              description = "only workers whose ids begin so")
          String workerPrefix,
      @Option(
              names = "--expire",
              paramLabel = "DAYS",
              converter = Days.class,
              description = "good for so long, such as 90d; otherwise as long as the server says")
          Integer days,
      @Option(
              names = "--rate-limit",
              paramLabel = "NUMBER",
              description = "at most so many requests a second to each server")
          Integer rateLimit,
      @Option(
              names = "--cert-san",
              paramLabel = "NAME",
              description = {
                "only for clients whose TLS certificate has this URI or DNS name; such a",
                "certificate proves the key without the key, too"
              })
          String certSan,
      @Option(
              names = "--not-before",
              paramLabel = "TIME",
              description = "live from this time on, such as 2026-12-01 or 2026-12-01T09:00")
          String notBefore,
      @Option(
              names = "--direct",
              description = {
                "write it into the database of FLOW_MYSQL_URL, FLOW_MYSQL_USER and",
                "FLOW_MYSQL_PASSWORD without a server, with the server's FLOW_KEY_PEPPER:",
                "the first ADMIN key, or one after all others were lost"
              })
          boolean direct,
      @Mixin OutOption to,
      @Mixin Output output) {
    NewKey key =
        new NewKey(
            name,
            roles,
            orAll(types),
            orAll(stages),
            orAll(users),
            workerPrefix,
            days,
            rateLimit,
            certSan,
            notBefore == null ? null : timeOf(notBefore));
    if (direct) {
      refuseUnlessForAll(key);
      Duration life = Duration.ofDays(days == null ? DEFAULT_DAYS : days);
      hand(to.file, forNew(to.file, () -> new DirectKeys(environment).create(key, life)), output);
    } else {
      hand(to.file, forNew(to.file, () -> keys(server).create(key)), output);
    }
  }

  private long timeOf(String text) {
    try {
      return times.parse(text).toEpochMilli();
    } catch (DateTimeException e) {
      throw new UsageException("--not-before wants a time such as 2026-12-01, not " + text + ".");
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

  private static List<String> orAll(List<String> names) {
    return names == null ? List.of() : names;
  }

  /** Hands a new key over; only if that is possible, it is made. */
  private void hand(Path file, Supplier<IssuedKey> maker, Output output) {
    if (file == null) {
      IssuedKey made = maker.get();
      if (!output.printed(made, out)) {
        out.println(OneLine.of(made.key()));
      }
      return;
    }
    Path directory = file.toAbsolutePath().getParent();
    if (!Files.isWritable(directory)) {
      throw new UsageException("--out: no file can be written in " + directory + ".");
    }
    IssuedKey made = maker.get();
    OwnerOnly.write(file, made.key() + System.lineSeparator());
    if (!output.printed(new IssuedKey(made.keyId(), null, made.expireTime()), out)) {
      out.println("Written into " + file + ".");
    }
  }

  @Command(name = "list", description = "Shows keys, newest first.")
  void list(
      @Mixin ServerOption server,
      @Option(
              names = "--state",
              paramLabel = "STATE",
              description = "only ${COMPLETION-CANDIDATES}")
          KeyState state,
      @Option(names = "--denied", description = "the callers that are denied, instead of keys")
          boolean denied,
      @Mixin Output output) {
    if (denied) {
      listDenied(server, output);
      return;
    }
    List<ListedKey> found = keys(server).list(state);
    print(
        output,
        new KeyPage(found, null),
        found,
        KeyText.table(found, times),
        "There are no access keys.",
        null);
  }

  private void listDenied(ServerOption server, Output output) {
    List<DeniedCaller> found = keys(server).denied();
    print(
        output,
        new DeniedPage(found, null),
        found,
        KeyText.denied(found, times),
        "Nobody is denied.",
        null);
  }

  @Command(
      name = "rotate",
      description =
          "Makes a key with the rights of another one and prints it. The other one expires after"
              + " the overlap.")
  void rotate(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Option(
              names = "--overlap",
              paramLabel = "TIME",
              defaultValue = "1d",
              converter = TimeSpan.class,
              description = "both are good for so long (${DEFAULT-VALUE}), at most 30d")
          Duration overlap,
      @Mixin OutOption to,
      @Mixin Output output) {
    hand(to.file, () -> keys(server).rotate(id, overlap), output);
  }

  @Command(name = "revoke", description = "Ends a key, and its calls under way.")
  void revoke(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Option(names = "--reason", paramLabel = "TEXT", description = "recorded with the act")
          String reason) {
    keys(server).revoke(id, reason);
    out.println("Revoked.");
  }

  @Command(
      name = "deny",
      description =
          "Refuses a caller with tokens of the issuer, and ends its sessions. Take it out at the"
              + " issuer, too, before the time is over.")
  void deny(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "SUBJECT", description = SUBJECT) String subject,
      @Option(
              names = "--for",
              paramLabel = "TIME",
              defaultValue = "1d",
              converter = TimeSpan.class,
              description = "for so long (${DEFAULT-VALUE}), at most 30d")
          Duration time,
      @Option(names = "--reason", paramLabel = "TEXT", description = "recorded with the act")
          String reason) {
    keys(server).deny(subject, time, reason);
    out.println("Denied.");
  }

  @Command(name = "allow", description = "Lets a caller in again that was denied.")
  void allow(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "SUBJECT", description = SUBJECT) String subject,
      @Option(names = "--reason", paramLabel = "TEXT", description = "recorded with the act")
          String reason) {
    keys(server).allow(subject, reason);
    out.println("Allowed.");
  }

  @Command(name = "me", description = "Shows whom the server takes this key for.")
  void me(@Mixin ServerOption server, @Mixin Output output) {
    Me me = keys(server).me();
    print(output, me, KeyText.of(me, times));
  }

  private KeyClient keys(ServerOption server) {
    return client(server).keys();
  }
}
