package io.asyncflow.flowsvr.operate.bulk;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.bulk.BulkAct;
import io.asyncflow.api.bulk.BulkArguments;
import io.asyncflow.api.find.SteerClient.NewDue;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.operate.search.SearchForm;
import io.asyncflow.flowsvr.operate.search.TaskSearch;
import io.asyncflow.rules.field.TaskFields;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
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
    TaskStatus status = null;
    if (act == BulkAct.SET_STATUS || in.has("status")) {
      status = TaskFields.forcedStatus(in);
    }
    NewDue due = TaskFields.due(in);
    if (act == BulkAct.RESCHEDULE) {
      TaskFields.refuseUnlessOneDue(in);
    }
    for (String name : ARGUMENTS) {
      BulkAct of = name.equals("status") ? BulkAct.SET_STATUS : BulkAct.RESCHEDULE;
      if (act != of) {
        in.refuseMisplaced(name, "only " + of + " takes it");
      }
    }
    // From the preview on, so that it does not depend on how fast the bulk is.
    Long runAt = due.delayMs() == null ? due.runAt() : Long.valueOf(now + due.delayMs());
    return new BulkArguments(status == null ? null : status.code(), runAt, null, due.priority());
  }
}
