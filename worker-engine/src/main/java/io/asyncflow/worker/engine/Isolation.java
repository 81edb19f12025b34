package io.asyncflow.worker.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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

  /** Sockets of other programs are here, and what they keep for a while. */
  private static final List<Path> EMPTIED =
      List.of(Path.of("/tmp"), Path.of("/run"), Path.of("/var/run"));

  private static final Path RESOLVER = Path.of("/etc/resolv.conf");

  /** No program runs without these. */
  private static final List<Path> SYSTEM =
      Stream.of("/bin", "/dev", "/etc", "/lib", "/lib64", "/proc", "/sbin", "/sys", "/usr", "/var")
          .map(Path::of)
          .toList();

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
   * read-only, an empty {@code /tmp} and {@code /run}. An engine that lives below these still finds
   * its working directory, the home and the files that its command names, read-only. The spools of
   * the workers of this process are hidden, and so are the directories of their key files and of
   * the files that the environment variables {@code FLOW_*} and {@code ASYNCFLOW_*} name.
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

  /**
   * Without a file, or without the content of a directory; only for a sandbox. A file that is
   * replaced is visible again, so name the directory of such a file.
   */
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
   * The command that runs another one in this isolation. What is hidden is what there is now, so it
   * is asked for at each start.
   *
   * @param directory the working directory; {@code null} for the worker's own
   * @param programs finds a program of the system; {@code null} if there is none
   * @throws IllegalStateException if this system cannot do it; the message says what is missing
   */
  List<String> around(List<String> command, Path directory, Function<String, Path> programs) {
    Path home = Path.of(System.getProperty("user.home"));
    return around(
        command,
        directory,
        programs,
        isSandbox() ? SecretDirectories.in(System.getenv(), home) : Map.of());
  }

  /**
   * @param secrets the directories to hide, and why
   */
  List<String> around(
      List<String> command,
      Path directory,
      Function<String, Path> programs,
      Map<Path, String> secrets) {
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
    if (isSandbox()) {
      words.addAll(sandboxed(programs, secrets, needed(command, directory)));
    } else {
      words.addAll(asOtherUser(programs));
    }
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

  private List<String> sandboxed(
      Function<String, Path> programs, Map<Path, String> secrets, List<Path> needed) {
    List<Path> emptied = emptied();
    List<Path> kept =
        needed.stream().filter(path -> isBelow(emptied, path) && Files.exists(path)).toList();
    List<Path> visibleSecrets = toHide(secrets, needed, emptied, kept);
    List<String> words = new ArrayList<>();
    words.add(require("bwrap", "bubblewrap", programs));
    words.addAll(List.of("--unshare-all", "--cap-drop", "ALL"));
    if (programs.apply("setsid") == null) {
      // Otherwise the engine is in a new session anyway, and in the process group that is killed.
      words.add("--new-session");
    }
    words.addAll(List.of("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"));
    emptied.forEach(place -> words.addAll(List.of("--tmpfs", place.toString())));
    if (network) {
      words.add("--share-net");
      resolver(emptied)
          .ifPresent(file -> words.addAll(List.of("--ro-bind", file.toString(), file.toString())));
    }
    for (Path device : gpuDevices()) {
      words.addAll(List.of("--dev-bind", device.toString(), device.toString()));
    }
    kept.forEach(path -> words.addAll(List.of("--ro-bind", path.toString(), path.toString())));
    for (Path directory : writable) {
      words.addAll(List.of("--bind", directory.toString(), directory.toString()));
    }
    // Last: each option covers those before it.
    visibleSecrets.forEach(place -> words.addAll(List.of("--tmpfs", place.toString())));
    hidden.stream().filter(Files::exists).map(Isolation::real).forEach(path -> hide(path, words));
    words.add("--");
    return words;
  }

  private static void hide(Path path, List<String> words) {
    words.addAll(
        Files.isDirectory(path)
            ? List.of("--tmpfs", path.toString())
            : List.of("--ro-bind", "/dev/null", path.toString()));
  }

  private static List<Path> emptied() {
    return EMPTIED.stream().filter(Files::isDirectory).map(Isolation::real).distinct().toList();
  }

  /** The list of name servers, if it would be hidden: without it the network is of little use. */
  private static Optional<Path> resolver(List<Path> emptied) {
    return Optional.of(RESOLVER)
        .filter(Files::isRegularFile)
        .map(Isolation::real)
        .filter(file -> emptied.stream().anyMatch(file::startsWith));
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

  private static boolean isBelow(List<Path> places, Path path) {
    return places.stream().anyMatch(place -> path.startsWith(place) && !path.equals(place));
  }

  /**
   * Which of these directories are not empty in the sandbox anyway.
   *
   * @param kept what an engine finds in the emptied places
   * @throws IllegalStateException if the engine could not run without one of them
   */
  private List<Path> toHide(
      Map<Path, String> secrets, List<Path> needed, List<Path> emptied, List<Path> kept) {
    List<Path> visible =
        secrets.keySet().stream()
            .filter(
                place ->
                    emptied.stream().noneMatch(place::startsWith)
                        || Stream.concat(
                                kept.stream(), writable.stream().map(Isolation::realIfThere))
                            .anyMatch(place::startsWith))
            .sorted()
            .toList();
    for (Path place : visible) {
      needed.stream()
          .filter(path -> path.startsWith(place))
          .findFirst()
          .ifPresent(path -> refuse(secrets.get(place), place, path));
    }
    return visible;
  }

  private static void refuse(String reason, Path place, Path needed) {
    throw new IllegalStateException(
        "an engine cannot be isolated as asked for, because it needs "
            + needed
            + ", and "
            + reason
            + (needed.equals(place) ? " is there" : " is in " + place)
            + ": move that into a directory of its own");
  }

  /** What an engine can hardly do without. */
  private List<Path> needed(List<String> command, Path directory) {
    Path work = (directory == null ? Path.of("") : directory).toAbsolutePath();
    Stream<Path> files =
        command.stream()
            .map(SecretDirectories::pathOf)
            .filter(Objects::nonNull)
            .map(work::resolve)
            .filter(Files::exists);
    Stream<Path> places = Stream.of(work, Path.of(System.getProperty("user.home")));
    return Stream.of(SYSTEM.stream(), places, writable.stream(), files)
        .flatMap(Function.identity())
        .map(Isolation::realIfThere)
        .distinct()
        .toList();
  }

  private static Path realIfThere(Path path) {
    return Files.exists(path) ? real(path) : path.toAbsolutePath();
  }

  /** A link cannot be covered, but what it leads to. */
  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
