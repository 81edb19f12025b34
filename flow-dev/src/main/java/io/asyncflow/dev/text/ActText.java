package io.asyncflow.dev.text;

import io.asyncflow.api.act.ListedAct;
import java.util.List;

/** The record of acts as text. */
public final class ActText {
  private ActText() {}

  /** One line an act, below a line of heads. */
  public static List<String> table(List<ListedAct> acts, TimeText times) {
    TextTable table = new TextTable("TIME", "ACT", "OBJECT", "ACTOR", "FROM", "OPERATOR", "REASON");
    for (ListedAct act : acts) {
      table.add(
          times.of(act.time()),
          act.act(),
          act.object(),
          act.actor(),
          act.actorIp() == null ? "-" : act.actorIp(),
          act.operator(),
          act.reason());
    }
    return table.lines();
  }
}
