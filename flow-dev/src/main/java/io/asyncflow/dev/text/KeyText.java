package io.asyncflow.dev.text;

import io.asyncflow.api.OneLine;
import io.asyncflow.api.key.DeniedCaller;
import io.asyncflow.api.key.ListedKey;
import io.asyncflow.api.key.Me;
import java.util.Collection;
import java.util.List;

/** Access keys as text. */
public final class KeyText {
  private KeyText() {}

  /** One line a key, below a line of heads. */
  public static List<String> table(List<ListedKey> keys, TimeText times) {
    TextTable table =
        new TextTable(
            "ID",
            "NAME",
            "STATE",
            "ROLES",
            "TYPES",
            "STAGES",
            "USERS",
            "RATE",
            "CERTIFICATE",
            "BEGINS",
            "EXPIRES",
            "LAST USED");
    for (ListedKey key : keys) {
      table.add(
          key.keyId(),
          key.name(),
          key.state().name(),
          sorted(key.roles()),
          sorted(key.types()),
          sorted(key.stages()),
          sorted(key.users()),
          rate(key.rateLimit()),
          certificate(key.certSan()),
          times.of(key.notBefore()),
          times.of(key.expireTime()),
          times.of(key.lastUsedTime()));
    }
    return table.lines();
  }

  /** One line a denied caller, below a line of heads. */
  public static List<String> denied(List<DeniedCaller> denied, TimeText times) {
    TextTable table = new TextTable("CALLER", "UNTIL");
    for (DeniedCaller caller : denied) {
      table.add(OneLine.of(caller.principal()), times.of(caller.untilTime()));
    }
    return table.lines();
  }

  /** Some lines about the caller. */
  public static List<String> of(Me me, TimeText times) {
    return List.of(
        "caller   " + OneLine.of(me.principal()),
        "roles    " + sorted(me.roles()),
        "types    " + sorted(me.types()),
        "stages   " + sorted(me.stages()),
        "users    " + sorted(me.users()),
        "workers  " + (me.workerPrefix().isEmpty() ? "*" : OneLine.of(me.workerPrefix()) + "*"),
        "rate     " + rate(me.rateLimit()),
        "cert     " + certificate(me.certSan()),
        "expires  " + times.of(me.expireTime()));
  }

  private static String rate(Integer perSecond) {
    return perSecond == null ? "-" : perSecond + "/s";
  }

  private static String certificate(String name) {
    return name == null ? "-" : OneLine.of(name);
  }

  private static String sorted(Collection<String> names) {
    return OneLine.of(String.join(",", names.stream().sorted().toList()));
  }
}
