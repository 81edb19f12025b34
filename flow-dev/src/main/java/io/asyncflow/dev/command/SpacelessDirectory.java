package io.asyncflow.dev.command;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.embedded.NativeBinaries;
import io.asyncflow.dev.host.FileTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** A directory whose real path has no white space, so that the path can be passed to any shell. */
final class SpacelessDirectory {
  private static final Pattern SPACE = Pattern.compile("\\s");

  private SpacelessDirectory() {}

  /** The preferred directory where its path will do, and one in the user's cache where not. */
  static Path preferring(Path preferred) {
    for (Path candidate :
        List.of(preferred, NativeBinaries.cacheDirectory().resolve("demo-speech"))) {
      if (!hasSpace(candidate) && !hasSpace(realPath(FileTree.create(candidate)))) {
        return candidate;
      }
    }
    try {
      return Files.createTempDirectory(Path.of("/tmp"), "asyncflow-speech-");
    } catch (IOException e) {
      throw new DevException("There is no directory for the speech without spaces.", e);
    }
  }

  private static boolean hasSpace(Path path) {
    return SPACE.matcher(path.toString()).find();
  }

  private static Path realPath(Path directory) {
    try {
      return directory.toRealPath();
    } catch (IOException e) {
      throw new DevException("The directory " + directory + " cannot be read.", e);
    }
  }
}
