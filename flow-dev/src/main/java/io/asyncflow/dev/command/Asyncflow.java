package io.asyncflow.dev.command;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.command.option.CommandEntry;
import io.asyncflow.dev.environment.ServerOption;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertPathBuilderException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The root of the command line. A program gives it the commands that it has, each an object with
 * {@link Command}; help, messages and exit codes are the same for all of them.
 *
 * <p>Exit codes: 0 done, {@value #FAILED} failed, {@value #NOT_UNDERSTOOD} not understood, {@value
 * #UNREACHABLE} for a command that names it: the server cannot be reached, {@value #READ_NO_MORE}
 * the reader of its output has ended, as of a program that SIGPIPE has ended. A command may have
 * others beside them.
 */
@Command(name = "./asyncflow", synopsisSubcommandLabel = "COMMAND")
public final class Asyncflow {
  public static final int FAILED = 1;
  public static final int NOT_UNDERSTOOD = 2;
  public static final int UNREACHABLE = 3;
  public static final int READ_NO_MORE = 141;

  private static final String TERMINAL_PROPERTY = "asyncflow.terminal";
  private static final int WIDTH = 100;

  /** What picocli says of a text that is none of an enum's names. */
  private static final Pattern NO_CONSTANT =
      Pattern.compile("^expected one of \\[(.*)] \\(case-insensitive\\) but was '(.*)'$");

  /** Of a command that has no others. */
  private static final Map<String, String> EXIT_CODES =
      new TreeMap<>(Map.of("0", "done", "1", "failed", "2", "not understood"));

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "show this")
  private boolean help;

  private Asyncflow() {}

  /**
   * Runs the command that the first argument names.
   *
   * @param commands makes the commands, which print to standard output there, or by {@code
   *     System.out}
   * @return the exit code; what went wrong stands on standard error
   */
  public static int run(String[] arguments, Function<PrintStream, Object[]> commands) {
    StandardOutput output = StandardOutput.ofProcess();
    PrintStream out = output.printer();
    System.setOut(out);
    try {
      int exitCode = of(commands.apply(out)).execute(arguments);
      out.flush();
      if (exitCode != 0 || output.failure() == null) {
        return exitCode;
      }
    } catch (StandardOutput.Unwritable e) {
      // said below: the help of a command, or its last letters
    }
    return explain(output.failure(), new PrintWriter(System.err, true, StandardCharsets.UTF_8));
  }

  /** The command line with these commands. */
  public static CommandLine of(Object... commands) {
    CommandLine root = new CommandLine(new Asyncflow());
    for (Object command : commands) {
      root.addSubcommand(command instanceof CommandEntry entry ? entry.spec() : command);
    }
    root.getSubcommands().values().forEach(command -> layOut(command, EXIT_CODES));
    return root.setExpandAtFiles(false)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setUsageHelpWidth(WIDTH)
        .setColorScheme(Help.defaultColorScheme(isTerminal() ? Ansi.AUTO : Ansi.OFF))
        .setParameterExceptionHandler((e, arguments) -> refuse(e.getCommandLine(), sentence(e)))
        .setExecutionExceptionHandler((e, command, arguments) -> explain(e, command));
  }

  /** Subcommands have the exit codes and the footer of their command, unless they name others. */
  private static void layOut(CommandLine command, Map<String, String> exitCodes) {
    UsageMessageSpec usage = command.getCommandSpec().usageMessage();
    usage.sortOptions(false).descriptionHeading("%n").optionListHeading("%n");
    usage.parameterListHeading("%n").exitCodeListHeading("%nExit codes:%n");
    if (usage.exitCodeList().isEmpty()) {
      usage.exitCodeList(exitCodes);
    }
    if (usage.footer().length > 0) {
      usage.footerHeading("%n");
    }
    usage.commandListHeading("%nCommands:%n");
    for (CommandLine subcommand : command.getSubcommands().values()) {
      UsageMessageSpec below = subcommand.getCommandSpec().usageMessage();
      if (below.footer().length == 0) {
        below.footer(usage.footer());
      }
      layOut(subcommand, usage.exitCodeList());
    }
  }

  /** Whether standard output is one; the launching script knows. */
  static boolean isTerminal() {
    return Boolean.getBoolean(TERMINAL_PROPERTY);
  }

  private static int refuse(CommandLine command, String sentence) {
    PrintWriter err = command.getErr();
    err.println("asyncflow: " + sentence);
    err.println(command.getCommandSpec().qualifiedName() + " --help says more.");
    return NOT_UNDERSTOOD;
  }

  private static int explain(Exception e, CommandLine command) throws Exception {
    if (e instanceof UsageException) {
      return refuse(command, e.getMessage());
    }
    if (e instanceof StandardOutput.Unwritable unwritable) {
      return explain(unwritable, command.getErr());
    }
    if (e instanceof DevException || e instanceof FlowException) {
      command.getErr().println("asyncflow: " + e.getMessage() + codeOf(e) + hintOf(e));
      boolean unreachable =
          e instanceof FlowUnreachableException
              && command
                  .getCommandSpec()
                  .usageMessage()
                  .exitCodeList()
                  .containsKey(Integer.toString(UNREACHABLE));
      return unreachable ? UNREACHABLE : FAILED;
    }
    throw e; // picocli prints its stack, and the exit code is 1
  }

  /** A pipe that nothing reads any more is no error: the reader has what it wants. */
  private static int explain(StandardOutput.Unwritable e, PrintWriter err) {
    if (e.isReadNoMore()) {
      return READ_NO_MORE;
    }
    err.println(
        "asyncflow: Standard output cannot be written: "
            + e.getCause().getMessage()
            + ". What the command had to do may be done.");
    return FAILED;
  }

  /** By which docs/api.md knows the server's refusal. */
  private static String codeOf(Exception e) {
    return e instanceof FlowException refused && !(e instanceof FlowUnreachableException)
        ? " (" + refused.errorCode().code() + ")"
        : "";
  }

  /** What the client cannot know: how a command is told whom to trust. */
  private static String hintOf(Exception e) {
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof CertPathBuilderException) {
        return "; "
            + ServerOption.ROOTS_VARIABLE
            + " may name a PEM file with the authority of its certificate";
      }
    }
    return "";
  }

  private static String sentence(ParameterException e) {
    CommandSpec command = e.getCommandLine().getCommandSpec();
    if (e instanceof UnmatchedArgumentException unmatched) {
      return sentence(unmatched, command);
    }
    if (e instanceof MissingParameterException missing && !missing.getMissing().isEmpty()) {
      ArgSpec argument = missing.getMissing().get(0);
      if (argument instanceof OptionSpec option) {
        return option.required()
            ? command.name() + " needs " + option.longestName() + " " + option.paramLabel() + "."
            : option.longestName() + " needs a value.";
      }
      return command.name() + " needs " + argument.paramLabel() + ".";
    }
    if (e.getCause() instanceof TypeConversionException && e.getArgSpec() != null) {
      String name =
          e.getArgSpec() instanceof OptionSpec option
              ? option.longestName()
              : e.getArgSpec().paramLabel();
      return name
          + " "
          + NO_CONSTANT.matcher(e.getCause().getMessage()).replaceFirst("wants one of $1, not $2")
          + ".";
    }
    return e.getMessage().replaceFirst("^Error: ", "") + ".";
  }

  private static String sentence(UnmatchedArgumentException e, CommandSpec command) {
    String argument = e.getUnmatched().get(0);
    String option = argument.replaceFirst("=.*", "");
    if (option.startsWith("-") // findOption takes a name without its dashes, too
        && command.subcommands().values().stream()
            .anyMatch(subcommand -> subcommand.getCommandSpec().findOption(option) != null)) {
      return command.name() + " takes " + option + " behind its command.";
    }
    if (!e.isUnknownOption() && !command.positionalParameters().isEmpty()) {
      return "%s takes one %s, and %s is another."
          .formatted(command.name(), command.positionalParameters().get(0).paramLabel(), argument);
    }
    List<String> near = e.getSuggestions();
    return command.name()
        + " does not know "
        + argument
        + (near.isEmpty() ? "." : "; did you mean " + near.get(0) + "?");
  }
}
