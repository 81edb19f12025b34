package io.asyncflow.systemtest.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** flowsvr's JVM has the same options wherever it runs. */
class JvmOptionsTest {

  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();

  @ParameterizedTest
  @ValueSource(strings = {"pom.xml", "docker/Dockerfile"})
  void imagesHaveTheOptionsOfTheServer(String file) throws IOException {
    String image = Files.readString(HOME.resolve(file));
    assertThat(options()).isNotEmpty().allMatch(image::contains, "is an option in " + file);
  }

  private static List<String> options() throws IOException {
    try (Stream<String> lines = Files.lines(HOME.resolve("flowsvr/jvm.options"))) {
      return lines.filter(line -> line.startsWith("-")).toList();
    }
  }
}
