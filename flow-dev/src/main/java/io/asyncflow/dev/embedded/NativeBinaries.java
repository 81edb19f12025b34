package io.asyncflow.dev.embedded;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.host.FileTree;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Enumeration;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Unpacks native servers from jars, once per user.
 *
 * <p>They live in {@code ~/.cache/asyncflow} (or {@code $XDG_CACHE_HOME/asyncflow}, or the system
 * property {@code asyncflow.cache.dir}), not in the JVM's temporary directory: unpacking takes
 * seconds and hundreds of megabytes, and each test run of each module would pay it again.
 */
public final class NativeBinaries {
  private NativeBinaries() {}

  public static Path cacheDirectory() {
    String configured = System.getProperty("asyncflow.cache.dir");
    if (configured != null) {
      return Path.of(configured).toAbsolutePath();
    }
    String xdg = System.getenv("XDG_CACHE_HOME");
    return xdg != null && xdg.startsWith("/")
        ? Path.of(xdg, "asyncflow")
        : Path.of(System.getProperty("user.home"), ".cache", "asyncflow");
  }

  /** Throws a {@link DevException} on machines without binaries. */
  static void requireLinux(String program, String... architectures) {
    String os = System.getProperty("os.name");
    String architecture = architecture();
    for (String supported : architectures) {
      if (os.equals("Linux") && architecture.equals(supported)) {
        return;
      }
    }
    throw new DevException(
        "The embedded "
            + program
            + " runs on Linux "
            + String.join(" and ", architectures)
            + " only, and this is "
            + os
            + " "
            + architecture
            + ": start MySQL and Redis yourself and use ./asyncflow server.");
  }

  static String architecture() {
    String name = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return switch (name) {
      case "amd64", "x86_64" -> "amd64";
      case "aarch64" -> "arm64";
      default -> name;
    };
  }

  /**
   * Unpacks a part of a jar on the class path, unless an earlier call or another process already
   * did.
   *
   * @param name the directory to make inside the cache; must contain the version, because a
   *     finished directory is never checked again
   * @param prefix what the wanted entries begin with; stripped from their names
   * @param executable the program among the wanted entries, without the prefix
   * @param filter which entries, without the prefix, to unpack
   * @return the finished directory
   */
  static synchronized Path unpackOnce(
      String name, String prefix, String executable, Predicate<String> filter) {
    Path cache = FileTree.create(cacheDirectory());
    Path finished = cache.resolve(name);
    if (Files.isDirectory(finished)) {
      return finished;
    }
    try (FileChannel channel =
            FileChannel.open(
                cache.resolve("unpacking.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      if (!Files.isDirectory(finished)) {
        // A process killed while unpacking leaves only this directory, which is never used.
        Path unfinished = cache.resolve(name + ".unfinished");
        FileTree.delete(unfinished);
        unpack(prefix, executable, filter, unfinished);
        Files.move(unfinished, finished, StandardCopyOption.ATOMIC_MOVE);
      }
      return finished;
    } catch (IOException e) {
      throw new DevException(
          "The program "
              + executable
              + " cannot be unpacked to "
              + finished
              + " ("
              + e.getMessage()
              + "); the system property asyncflow.cache.dir names another place.",
          e);
    }
  }

  private static void unpack(
      String prefix, String executable, Predicate<String> filter, Path target) throws IOException {
    URL url = NativeBinaries.class.getClassLoader().getResource(prefix + executable);
    if (url == null || !(url.openConnection() instanceof JarURLConnection connection)) {
      throw new IOException(prefix + executable + " is not in a jar on the class path");
    }
    connection.setUseCaches(false);
    try (JarFile jar = connection.getJarFile()) {
      Enumeration<JarEntry> entries = jar.entries();
      while (entries.hasMoreElements()) {
        JarEntry entry = entries.nextElement();
        if (entry.isDirectory() || !entry.getName().startsWith(prefix)) {
          continue;
        }
        String name = entry.getName().substring(prefix.length());
        if (filter.test(name)) {
          Path file = target.resolve(name);
          Files.createDirectories(file.getParent());
          try (InputStream content = jar.getInputStream(entry)) {
            Files.copy(content, file);
          }
        }
      }
    }
    if (!target.resolve(executable).toFile().setExecutable(true, false)) {
      throw new IOException(executable + " cannot be made executable");
    }
  }
}
