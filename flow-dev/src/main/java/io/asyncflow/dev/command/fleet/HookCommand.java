package io.asyncflow.dev.command.fleet;

import io.asyncflow.api.OneLine;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.api.hook.Hook;
import io.asyncflow.api.hook.HookClient;
import io.asyncflow.api.hook.HookState;
import io.asyncflow.api.hook.NewHook;
import io.asyncflow.api.hook.SavedHook;
import io.asyncflow.dev.command.option.ActOptions;
import io.asyncflow.dev.command.option.Output;
import io.asyncflow.dev.command.option.ServerCommand;
import io.asyncflow.dev.environment.ServerOption;
import io.asyncflow.dev.text.HookText;
import java.io.PrintStream;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./asyncflow hook}: shows and steers the hooks of a server somewhere. */
@Command(
    name = "hook",
    synopsisSubcommandLabel = "COMMAND",
    description =
        "Shows and steers the hooks of a running server: the URLs that it sends events to.")
public final class HookCommand extends ServerCommand {
  private static final String NAME = "the name of the hook";

  public HookCommand(Map<String, String> environment, PrintStream out, ZoneId zone) {
    super(environment, out, zone);
  }

  record Hooks(List<Hook> hookList) {}

  record Tested(String taskId) {}

  @Command(name = "list", description = "Shows all hooks.")
  void list(@Mixin ServerOption server, @Mixin Output output) {
    List<Hook> found = hooks(server).list();
    print(
        output, new Hooks(found), found, HookText.table(found, times), "There are no hooks.", null);
  }

  @Command(
      name = "save",
      description =
          "Creates the hook of a name or changes it, and prints the secret of a new one, which is"
              + " not shown again.")
  void save(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Parameters(paramLabel = "HOOK_URL", description = "where its events go; https") String url,
      @Option(
              names = "--type",
              paramLabel = "TYPE",
              split = ",",
              description = "only events of these types")
          Set<String> types,
      @Option(
              names = "--kind",
              paramLabel = "KIND",
              split = ",",
              description = "only ${COMPLETION-CANDIDATES}")
          Set<EventKind> kinds,
      @Option(
              names = "--state",
              paramLabel = "STATE",
              description = "ACTIVE or PAUSED; a hook that exists keeps its state if absent")
          HookState state,
      @Mixin ActOptions act,
      @Mixin Output output) {
    NewHook hook =
        new NewHook(
            name, url, types == null ? Set.of() : types, kinds == null ? Set.of() : kinds, state);
    show(hooks(server).save(hook, act.operator(), act.reason()), "Changed.", output);
  }

  @Command(
      name = "test",
      description = "Sends a test to the URL of a hook, and prints the task that delivers it.")
  void test(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Mixin Output output) {
    String taskId = hooks(server).test(name);
    print(output, new Tested(taskId), taskId);
  }

  @Command(
      name = "rotate",
      description =
          "Gives a hook a new secret and prints it. The one before signs beside it for 24 hours.")
  void rotate(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Mixin ActOptions act,
      @Mixin Output output) {
    show(hooks(server).rotate(name, act.operator(), act.reason()), "", output);
  }

  private void show(SavedHook saved, String withoutSecret, Output output) {
    if (!output.printed(saved, out)) {
      out.println(saved.secret() == null ? withoutSecret : OneLine.of(saved.secret()));
    }
  }

  @Command(
      name = "delete",
      description = "Deletes a hook; its deliveries that have not ended fail.")
  void delete(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Mixin ActOptions act) {
    hooks(server).delete(name, act.operator(), act.reason());
    out.println("Deleted.");
  }

  private HookClient hooks(ServerOption server) {
    return client(server).hooks();
  }
}
