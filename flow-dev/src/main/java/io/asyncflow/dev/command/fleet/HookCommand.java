package io.asyncflow.dev.command.fleet;

import io.asyncflow.api.event.EventKind;
import io.asyncflow.api.hook.Hook;
import io.asyncflow.api.hook.HookClient;
import io.asyncflow.api.hook.HookState;
import io.asyncflow.api.hook.NewHook;
import io.asyncflow.api.hook.SavedHook;
import io.asyncflow.dev.command.option.Argument;
import io.asyncflow.dev.command.option.CommandEntry;
import io.asyncflow.dev.command.option.Terminal;
import io.asyncflow.dev.text.Layout;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;

/** {@code ./asyncflow hook}: shows and steers the hooks of a server somewhere. */
public final class HookCommand extends CommandEntry {

  private static final Argument<String> NAME = parameter("NAME", "the name of the hook");
  private static final Layout<Hook> TABLE =
      new Layout<Hook>()
          .value("NAME", Hook::name)
          .value("STATE", Hook::state)
          .value("URL", Hook::url)
          .value("TYPES", hook -> orAll(hook.taskTypes()))
          .value("KINDS", hook -> orAll(hook.kinds()))
          .time("FAILS SINCE", Hook::failSince)
          .value("LAST ERROR", Hook::lastError);

  public HookCommand(Terminal terminal) {
    super(terminal, "hook");
    says("Shows and steers the hooks of a running server: the URLs that it sends events to.");
    command("list", JSON)
        .says("Shows all hooks.")
        .does(
            run -> run.table("hookList", run.flow().hooks().list(), TABLE, "There are no hooks."));
    addSave();
    command("test", NAME, JSON)
        .says("Sends a test to the URL of a hook, and prints the task that delivers it.")
        .does(run -> run.sayId("taskId", run.flow().hooks().test(run.get(NAME))));
    command("rotate", NAME, OPERATOR, REASON, JSON)
        .says(
            "Gives a hook a new secret and prints it. The one before signs beside it for 24 hours.")
        .does(
            run -> {
              HookClient hooks = run.flow().hooks();
              run.say(
                  run.answer(hooks.rotate(run.get(NAME), run.operator(), run.reason())).secret());
            });
    command("delete", NAME, OPERATOR, REASON)
        .says("Deletes a hook; its deliveries that have not ended fail.")
        .does(
            "Deleted.",
            run -> run.flow().hooks().delete(run.get(NAME), run.operator(), run.reason()));
  }

  private void addSave() {
    Argument<String> url = parameter("HOOK_URL", "where its events go; https");
    Argument<Set<String>> types =
        option("--type", "TYPE", "only events of these types").set(String.class);
    Argument<Set<EventKind>> kinds =
        option("--kind", "KIND", "only ${COMPLETION-CANDIDATES}").set(EventKind.class);
    Argument<HookState> state =
        option("--state", "STATE", "ACTIVE or PAUSED; a hook that exists keeps its state if absent")
            .as(HookState.class);
    command("save", NAME, url, types, kinds, state, OPERATOR, REASON, JSON)
        .says(
            "Creates the hook of a name or changes it, and prints the secret of a new one, which is"
                + " not shown again.")
        .does(
            run -> {
              NewHook hook =
                  new NewHook(
                      run.get(NAME), run.get(url), run.get(types), run.get(kinds), run.get(state));
              SavedHook saved =
                  run.answer(run.flow().hooks().save(hook, run.operator(), run.reason()));
              run.say(saved.secret() == null ? "Changed." : saved.secret());
            });
  }

  private static String orAll(Collection<?> names) {
    return names.isEmpty()
        ? "all"
        : names.stream().map(Object::toString).sorted().collect(Collectors.joining(","));
  }
}
