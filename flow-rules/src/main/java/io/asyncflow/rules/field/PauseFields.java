package io.asyncflow.rules.field;

import io.asyncflow.api.pause.PauseKind;
import io.asyncflow.rules.PausedName;
import java.util.Optional;

/** The fields of the calls that pause something. */
public final class PauseFields {

  private static final int NAME = 160;
  private static final String KINDS = "must be TYPE, STAGE or WORKER";

  private PauseFields() {}

  /** What is paused; {@code null} if it is invalid. */
  public static PausedName name(FieldSource in) {
    PauseKind kind = in.text("kind").required().as(PauseFields::kind, KINDS);
    String text = in.text("name").required().name().max(NAME).value();
    if (kind == null || text == null) {
      return null;
    }
    Optional<PausedName> name = PausedName.parse(kind, text);
    if (name.isEmpty()) {
      in.refuse(
          "name",
          switch (kind) {
            case TYPE -> "is not a valid task type";
            case STAGE -> "must be type/stage, such as lark/sendmsg";
            case WORKER -> "must be at most 64 characters long";
          });
    }
    return name.orElse(null);
  }

  /** When the pause ends by itself, in epoch ms; {@code null} for never. */
  public static Long until(FieldSource in, long now) {
    Long until = in.number("until").epochMs().asLong();
    if (until != null && until <= now) {
      in.refuse("until", "must lie in the future");
    }
    return until;
  }

  /** The kind of a list; {@code null} for all. */
  public static PauseKind listed(FieldSource in) {
    return in.text("kind").as(PauseFields::kind, KINDS);
  }

  /** The last pause of the page before; {@code null} for the first page. */
  public static PausedName after(FieldSource in) {
    return in.text("cursor").as(PauseFields::position, PageFields.CURSOR_RULE);
  }

  private static Optional<PauseKind> kind(String text) {
    return ScheduleFields.parse(text, PauseKind.values());
  }

  private static Optional<PausedName> position(String cursor) {
    int colon = cursor.indexOf(':');
    return colon < 0
        ? Optional.empty()
        : kind(cursor.substring(0, colon))
            .flatMap(kind -> PausedName.parse(kind, cursor.substring(colon + 1)));
  }
}
