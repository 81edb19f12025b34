package io.asyncflow.worker;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Where the programs that a worker starts begin: with the few variables of the worker's environment
 * that a program needs to run. The keys and passwords that an environment holds, of whatever name,
 * are not passed on.
 *
 * <p>A program of the same user can still read {@code /proc/PPID/environ}, where all variables of
 * the worker are: a key belongs in a file ({@link Worker.Builder#apiKeyFile}).
 */
public final class ChildPrograms {

  private static final Set<String> PASSED_ON =
      Set.of("PATH", "LD_LIBRARY_PATH", "HOME", "TMPDIR", "LANG", "TZ", "HF_HOME");

  private static final Pattern FAMILIES_PASSED_ON = Pattern.compile("(LC_|CUDA_|NVIDIA_|PYTHON).*");

  private ChildPrograms() {}

  /**
   * A program to start, with nothing of the worker's environment but {@code PATH}, {@code
   * LD_LIBRARY_PATH}, {@code HOME}, {@code TMPDIR}, {@code LANG}, {@code TZ}, {@code LC_*}, {@code
   * CUDA_*}, {@code NVIDIA_*}, {@code PYTHON*} and {@code HF_HOME}.
   *
   * @param command the program, found as the system finds programs, and its arguments
   * @return a new one; what else the program needs goes into its {@code environment()}
   */
  public static ProcessBuilder of(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(variable -> !isPassedOn(variable));
    return builder;
  }

  /** The same, for a command that is written out. */
  public static ProcessBuilder of(String... command) {
    return of(List.of(command));
  }

  static boolean isPassedOn(String variable) {
    return PASSED_ON.contains(variable) || FAMILIES_PASSED_ON.matcher(variable).matches();
  }
}
