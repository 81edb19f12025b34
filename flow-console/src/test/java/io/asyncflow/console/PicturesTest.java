package io.asyncflow.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pictures that documents show, which WidePagesIT takes. */
class PicturesTest {

  private static final Path HOME = Path.of("..");
  private static final long BYTES = 150 * 1024;
  private static final Pattern SHOWN = Pattern.compile("(?:src|srcset)=\"([^\"]+[.]png)\"");

  @Test
  void picturesAreSmallAndAllAreShown() throws Exception {
    Set<Path> shown = new TreeSet<>();
    for (String document :
        new String[] {"README.md", "README.zh-CN.md", "docs/console.md", "docs/console.zh-CN.md"}) {
      Path file = HOME.resolve(document);
      Matcher picture = SHOWN.matcher(Files.readString(file));
      while (picture.find()) {
        shown.add(file.resolveSibling(picture.group(1)).normalize());
      }
    }
    try (Stream<Path> pictures = Files.list(HOME.resolve("docs/images"))) {
      assertThat(pictures.map(Path::normalize))
          .containsExactlyInAnyOrderElementsOf(shown)
          .allSatisfy(picture -> assertThat(Files.size(picture)).isLessThan(BYTES));
    }
  }
}
