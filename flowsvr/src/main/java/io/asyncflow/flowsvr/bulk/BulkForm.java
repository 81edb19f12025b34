package io.asyncflow.flowsvr.bulk;

import io.asyncflow.api.bulk.BulkAct;
import io.asyncflow.api.bulk.BulkArguments;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.search.SearchForm;
import io.asyncflow.flowsvr.search.TaskSearch;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.rules.field.TaskFields;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/**
 * A bulk as a request asks for it.
 *
 * @param filter the fields of the search
 * @param search what they say
 */
record BulkForm(
    BulkAct act, BulkArguments arguments, ObjectNode filter, TaskSearch.Request search, int cap) {

  private static final int MAX_FILTER = 16_000;
  private static final long TEN_YEARS_MS = 3_650L * 86_400_000;
  private static final Set<String> ARGUMENTS = Set.of("status", "runAt", "delayMs", "priority");

  /**
   * @param now epoch ms by the database's clock
   * @param most the caller's cap
   * @throws io.asyncflow.api.FlowException if any field is invalid, or beyond what the caller may
   */
  static BulkForm read(Fields in, long now, Caller caller, int most) {
    BulkAct act =
        in.text("act")
            .required()
            .as(BulkForm::act, "must be one of " + Arrays.toString(BulkAct.values()));
    BulkArguments arguments = arguments(in.object("arguments"), act, now);
    int cap = in.number("cap").between(1, most).or(most);
    Fields given = in.object("filter");
    if (!in.has("filter")) {
      in.refuse("filter", "is required: the fields of a search");
    }
    ObjectNode filter = given.json(MAX_FILTER);
    TaskSearch.Request search = SearchForm.readFilter(given, in, now, caller);
    caller.require(BulkRow.verbOf(act));
    return new BulkForm(act, arguments, filter, search.madeUntilAbout(now), cap);
  }

  private static Optional<BulkAct> act(String text) {
    String name = text.toUpperCase(Locale.ROOT);
    return Arrays.stream(BulkAct.values()).filter(act -> act.name().equals(name)).findFirst();
  }

  private static BulkArguments arguments(Fields in, BulkAct act, long now) {
    in.refuseUnknown(ARGUMENTS);
    Integer status = in.text("status").as(BulkForm::status, "must be 1, 4, 8 or 16");
    Long runAt = in.number("runAt").epochMs().asLong();
    Long delayMs = in.number("delayMs").between(0, TEN_YEARS_MS).asLong();
    Integer priority = TaskFields.priority(in);
    if (act == BulkAct.SET_STATUS) {
      if (!in.has("status")) {
        in.refuse("status", "is required");
      }
    } else {
      in.refuseMisplaced("status", "only SET_STATUS takes it");
    }
    if (act == BulkAct.RESCHEDULE) {
      if (Stream.of("runAt", "delayMs", "priority").filter(in::has).count() != 1) {
        in.refuse("runAt", "or delayMs or priority is required, and one of them alone");
      }
    } else {
      for (String name : Set.of("runAt", "delayMs", "priority")) {
        in.refuseMisplaced(name, "only RESCHEDULE takes it");
      }
    }
    // From the preview on, so that it does not depend on how fast the bulk is.
    return new BulkArguments(
        status, delayMs == null ? runAt : Long.valueOf(now + delayMs), null, priority);
  }

  private static Optional<Integer> status(String code) {
    return Set.of("1", "4", "8", "16").contains(code)
        ? Optional.of(Integer.valueOf(code))
        : Optional.empty();
  }
}
