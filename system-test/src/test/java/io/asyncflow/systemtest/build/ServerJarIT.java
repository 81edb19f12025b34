package io.asyncflow.systemtest.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The executable jar of flowsvr. */
class ServerJarIT {

  private static final Path HOME =
      Path.of(System.getProperty("asyncflow.home", "..")).toAbsolutePath().normalize();
  private static final int MEGABYTE = 1024 * 1024;

  /** Its pages, and the one library that is there for them alone. */
  private static final String CONSOLE = "BOOT-INF/lib/(flow-console|jte-runtime)-.*";

  @Test
  void consoleTakesAMegabyteAtMost() throws Exception {
    try (JarFile jar = new JarFile(executable().toFile())) {
      List<Long> sizes =
          jar.stream()
              .filter(entry -> entry.getName().matches(CONSOLE))
              .map(entry -> entry.getSize())
              .toList();

      assertThat(sizes).hasSize(2);
      assertThat(sizes.get(0) + sizes.get(1)).isLessThan(MEGABYTE);
    }
  }

  private static Path executable() throws Exception {
    try (Stream<Path> built = Files.list(HOME.resolve("flowsvr/target"))) {
      return built.filter(file -> file.toString().endsWith("-exec.jar")).findFirst().orElseThrow();
    }
  }
}
