package io.asyncflow.bench.option;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.environment.Installation;
import io.asyncflow.dev.stack.ServerProgram;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The repository that the bench was built in.
 *
 * @param root absolute
 */
public record Checkout(Path root) {

  static final String HOME_PROPERTY = "asyncflow.home";

  /** The one that the launching script names, or the one round the current directory. */
  public static Checkout current() {
    Path here = Path.of(System.getProperty(HOME_PROPERTY, "")).toAbsolutePath().normalize();
    for (Path directory = here; directory != null; directory = directory.getParent()) {
      if (Files.isDirectory(directory.resolve("flowsvr"))
          && Files.isDirectory(directory.resolve("db/migration"))) {
        return new Checkout(directory);
      }
    }
    throw new DevException("There is no Asyncflow in " + here + ": call ./asyncflow bench.");
  }

  public Path benchTarget() {
    return root.resolve("bench").resolve("target");
  }

  /** A file as somebody in the checkout calls it. */
  public Path relative(Path file) {
    return file.startsWith(root) ? root.relativize(file) : file;
  }

  /** The executable jar of flowsvr. */
  public Path serverJar() {
    return new Installation(root).executableJar("flowsvr");
  }

  /** flowsvr, as it is run in production. */
  public ServerProgram serverProgram() {
    return ServerProgram.of(new Installation(root));
  }

  /** The commit, and whether files differ from it; half a sentence. */
  public String commit() {
    String commit = git("rev-parse", "--short", "HEAD");
    if (commit.isEmpty()) {
      return "unknown";
    }
    boolean changed = !git("status", "--porcelain", "--untracked-files=no").isEmpty();
    return commit + (changed ? " with uncommitted changes" : "");
  }

  private String git(String... arguments) {
    List<String> command = Stream.concat(Stream.of("git"), Stream.of(arguments)).toList();
    try {
      Process git = new ProcessBuilder(command).directory(root.toFile()).start();
      String output =
          new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
      return git.waitFor() == 0 ? output : "";
    } catch (IOException e) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
