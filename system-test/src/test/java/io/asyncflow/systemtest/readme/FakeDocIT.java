package io.asyncflow.systemtest.readme;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.systemtest.readme.Document.Block;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The test with the fake server that docs/spring-boot.md shows. */
class FakeDocIT {

  @TempDir private Path directory;

  @Test
  void theTestThatIsShownPasses() throws Exception {
    String source =
        Document.read("docs/spring-boot.md").blocks().stream()
            .filter(block -> block.language().equals("java"))
            .map(Block::code)
            .filter(code -> code.contains("@Test"))
            .findFirst()
            .orElseThrow();
    JavaCode.compile(directory, System.getProperty("java.class.path"), List.of(source));
    URL[] classes = {directory.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(classes, getClass().getClassLoader())) {
      Class<?> shown = loader.loadClass(JavaCode.nameOf(source));
      List<Method> tests =
          Arrays.stream(shown.getDeclaredMethods())
              .filter(method -> method.isAnnotationPresent(Test.class))
              .toList();
      assertThat(tests).hasSize(1);
      Constructor<?> constructor = shown.getDeclaredConstructor();
      constructor.setAccessible(true);
      tests.get(0).setAccessible(true);
      tests.get(0).invoke(constructor.newInstance());
    }
  }
}
