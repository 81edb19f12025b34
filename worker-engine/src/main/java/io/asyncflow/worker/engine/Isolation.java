package io.asyncflow.worker.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * How the processes of an engine are kept apart from their worker, so that a program that nobody
 * trusts cannot read the worker's keys. Immutable.
 *
 * <p>{@link #sandbox} needs {@code bwrap}, {@link #asUser} needs {@code setpriv} and a worker that
 * runs as root, limits need {@code prlimit}. An engine is never started without what was asked for.
 */
public final class Isolation {

  /** The devices of GPUs, which a sandbox lets through. */
  private static final List<String> GPU_DEVICES = List.of("nvidia", "kfd", "dri");

  private static final String OWN_FILES = ".asyncflow";

  private final String user;
  private final String group;
  private final boolean network;
  private final List<Path> writable;
  private final List<Path> hidden;
  private final long memoryBytes;
  private final int openFiles;

  private Isolation(
      String user,
      String group,
      boolean network,
      List<Path> writable,
      List<Path> hidden,
      long memoryBytes,
      int openFiles) {
    this.user = user;
    this.group = group;
    this.network = network;
    this.writable = writable;
    this.hidden = hidden;
    this.memoryBytes = memoryBytes;
    this.openFiles = openFiles;
  }

  /**
   * In namespaces of its own, by {@code bwrap}: no other processes, no network, all files
   * read-only, an empty {@code /tmp}. The worker's spool is hidden, and so are the files that its
   * environment variables {@code FLOW_*} and {@code ASYNCFLOW_*} name.
   */
  public static Isolation sandbox() {
    return new Isolation(null, null, false, List.of(), List.of(), 0, 0);
  }

  /**
   * As another user of this machine, by {@code setpriv}, without a way back. What that user may
   * read and write, the engine may. Only a worker that runs as root can do this.
   *
   * @param user a name or a number
   * @param group the user's own group
   */
  public static Isolation asUser(String user, String group) {
    return new Isolation(
        Objects.requireNonNull(user, "user"),
        Objects.requireNonNull(group, "group"),
        true,
        List.of(),
        List.of(),
        0,
        0);
  }

  /** With the network of the machine; only a sandbox is without. */
  public Isolation withNetwork() {
    return new Isolation(user, group, true, writable, hidden, memoryBytes, openFiles);
  }

  /** With a directory that the engine may write; only for a sandbox. */
  public Isolation withWritable(Path directory) {
    return new Isolation(
        user, group, network, plus(writable, directory), hidden, memoryBytes, openFiles);
  }

  /** Without a file, or without the content of a directory; only for a sandbox. */
  public Isolation without(Path fileOrDirectory) {
    return new Isolation(
        user, group, network, writable, plus(hidden, fileOrDirectory), memoryBytes, openFiles);
  }

  /** With at most so much memory for data, in each process, by {@code prlimit}. */
  public Isolation withMemory(long bytes) {
    return new Isolation(
        user, group, network, writable, hidden, positive("memory", bytes), openFiles);
  }

  /** With at most so many open files, in each process, by {@code prlimit}. */
  public Isolation withOpenFiles(int files) {
    return new Isolation(
        user, group, network, writable, hidden, memoryBytes, (int) positive("openFiles", files));
  }

  private static long positive(String name, long value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be at least 1");
    }
    return value;
  }

  private static List<Path> plus(List<Path> paths, Path path) {
    return Stream.concat(paths.stream(), Stream.of(path.toAbsolutePath())).toList();
  }

  private boolean isSandbox() {
    return user == null;
  }

  private boolean isLimited() {
    return memoryBytes > 0 || openFiles > 0;
  }

  /**
   * The command that runs another one in this isolation.
   *
   * @param programs finds a program of the system; {@code null} if there is none
   * @throws IllegalStateException if this system cannot do it; the message says what is missing
   */
  List<String> around(List<String> command, Function<String, Path> programs) {
    List<String> words = new ArrayList<>();
    if (isLimited()) {
      words.add(require("prlimit", "util-linux", programs));
      words.add("--core=0");
      if (memoryBytes > 0) {
        words.add("--data=" + memoryBytes);
      }
      if (openFiles > 0) {
        words.add("--nofile=" + openFiles);
      }
    }
    words.addAll(isSandbox() ? sandboxed(programs) : asOtherUser(programs));
    words.addAll(command);
    return words;
  }

  private static String require(String program, String system, Function<String, Path> programs) {
    Path found = programs.apply(program);
    if (found == null) {
      throw new IllegalStateException(
          "an engine cannot be isolated as asked for, because this system has no "
              + program
              + ": install the package "
              + system);
    }
    return found.toString();
  }

  private List<String> asOtherUser(Function<String, Path> programs) {
    return List.of(
        require("setpriv", "util-linux", programs),
        "--reuid=" + user,
        "--regid=" + group,
        "--init-groups",
        "--inh-caps=-all",
        "--no-new-privs",
        "--");
  }

  private List<String> sandboxed(Function<String, Path> programs) {
    List<String> words = new ArrayList<>();
    words.add(require("bwrap", "bubblewrap", programs));
    words.addAll(List.of("--unshare-all", "--cap-drop", "ALL"));
    if (network) {
      words.add("--share-net");
    }
    words.addAll(List.of("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"));
    words.addAll(List.of("--tmpfs", "/tmp"));
    for (Path device : gpuDevices()) {
      words.addAll(List.of("--dev-bind", device.toString(), device.toString()));
    }
    for (Path directory : writable) {
      words.addAll(List.of("--bind", directory.toString(), directory.toString()));
    }
    // Last: each option covers those before it.
    for (Path path : hiddenPaths(System.getenv())) {
      words.addAll(
          Files.isDirectory(path)
              ? List.of("--tmpfs", path.toString())
              : List.of("--ro-bind", "/dev/null", path.toString()));
    }
    words.add("--");
    return words;
  }

  private static List<Path> gpuDevices() {
    try (Stream<Path> devices = Files.list(Path.of("/dev"))) {
      return devices.filter(Isolation::isGpu).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isGpu(Path device) {
    String name = device.getFileName().toString();
    return GPU_DEVICES.stream().anyMatch(name::startsWith);
  }

  /** What exists of what is hidden: a path that does not exist cannot be covered. */
  List<Path> hiddenPaths(Map<String, String> environment) {
    Stream<Path> named =
        environment.entrySet().stream()
            .filter(variable -> variable.getKey().matches("(FLOW|ASYNCFLOW)_.*"))
            .map(variable -> pathOf(variable.getValue()))
            .filter(path -> path != null && Files.isRegularFile(path));
    Path own = Path.of(System.getProperty("user.home"), OWN_FILES);
    return Stream.of(Stream.of(own), named, hidden.stream())
        .flatMap(Function.identity())
        .filter(Files::exists)
        .map(Isolation::real)
        .distinct()
        .toList();
  }

  /** A link cannot be covered, but what it leads to. */
  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path pathOf(String value) {
    try {
      return value.isBlank() ? null : Path.of(value.strip());
    } catch (InvalidPathException e) {
      return null;
    }
  }
}
