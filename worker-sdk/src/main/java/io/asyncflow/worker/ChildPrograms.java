package io.asyncflow.worker;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Prepares child processes with only those environment variables of the worker that a program needs
 * to run. Keys and passwords in the environment, under any name, are not passed on.
 *
 * <p>A program of the same user can still read all variables of the worker in {@code
 * /proc/PPID/environ}: keep a key in a file ({@link Worker.Builder#apiKeyFile}).
 */
public final class ChildPrograms {

  private static final Set<String> PASSED_ON =
      Set.of("PATH", "LD_LIBRARY_PATH", "HOME", "TMPDIR", "LANG", "TZ", "HF_HOME");

  private static final Pattern FAMILIES_PASSED_ON = Pattern.compile("(LC_|CUDA_|NVIDIA_|PYTHON).*");

  private static final Set<Path> KEY_FILES = ConcurrentHashMap.newKeySet();
  private static final Set<Path> SPOOLS = ConcurrentHashMap.newKeySet();

  private ChildPrograms() {}

  /**
   * The key files of the workers that were built in this process, which a program that is kept
   * apart from them must not read.
   */
  public static Set<Path> keyFiles() {
    return Set.copyOf(KEY_FILES);
  }

  /** The same for the directories in which these workers keep what they could not deliver. */
  public static Set<Path> spools() {
    return Set.copyOf(SPOOLS);
  }

  /** Notes what a worker has; {@code null} for nothing. */
  static void note(Path keyFile, Path spool) {
    if (keyFile != null) {
      KEY_FILES.add(keyFile.toAbsolutePath());
    }
    if (spool != null) {
      SPOOLS.add(spool.toAbsolutePath());
    }
  }

  /**
   * A program to start, with only these variables of the worker's environment: {@code PATH}, {@code
   * LD_LIBRARY_PATH}, {@code HOME}, {@code TMPDIR}, {@code LANG}, {@code TZ}, {@code LC_*}, {@code
   * CUDA_*}, {@code NVIDIA_*}, {@code PYTHON*} and {@code HF_HOME}.
   *
   * @param command the program, resolved by the system's search path, and its arguments
   * @return a new builder; add further variables to its {@code environment()}
   */
  public static ProcessBuilder of(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(variable -> !isPassedOn(variable));
    return builder;
  }

  /** The same for a command given as arguments. */
  public static ProcessBuilder of(String... command) {
    return of(List.of(command));
  }

  static boolean isPassedOn(String variable) {
    return PASSED_ON.contains(variable) || FAMILIES_PASSED_ON.matcher(variable).matches();
  }
}
