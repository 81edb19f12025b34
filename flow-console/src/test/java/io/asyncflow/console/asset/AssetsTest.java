package io.asyncflow.console.asset;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SamplePages;
import io.asyncflow.console.frame.Place;
import io.asyncflow.console.text.Language;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletResponse;

class AssetsTest {

  private static final int CSS = 10 * 1024;
  private static final int SCRIPTS = 20 * 1024;
  private static final int ICONS = 4 * 1024;

  private final Assets assets = new Assets();

  @Test
  void filesStayWithinTheirBudgets() {
    assertThat(compressed("css")).isLessThan(CSS);
    assertThat(compressed("js")).isLessThan(SCRIPTS);
    assertThat(compressed("svg")).isLessThan(ICONS);
  }

  private int compressed(String kind) {
    return assets.all().entrySet().stream()
        .filter(file -> file.getKey().endsWith("." + kind))
        .mapToInt(file -> file.getValue().compressed().length)
        .sum();
  }

  @Test
  void everyFileOfTheFolderIsServed() throws Exception {
    try (Stream<Path> files =
        Files.list(Path.of("src/main/resources/META-INF/asyncflow-console/static"))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(assets.all().keySet());
    }
  }

  @Test
  void fileIsKeptForGoodUnderItsHashAlone() throws Exception {
    SamplePages pages = new SamplePages(new SampleApi());
    MockHttpServletResponse now =
        pages.open("/static/" + assets.hash() + "/console.css", Language.EN);
    MockHttpServletResponse other = pages.open("/static/abc/console.css", Language.EN);

    assertThat(now.getHeader("Cache-Control")).contains("immutable").contains("max-age=31536000");
    assertThat(other.getHeader("Cache-Control")).isEqualTo("no-store");
    assertThat(pages.open("/static/abc/nothing.css", Language.EN).getStatus()).isEqualTo(404);
  }

  @Test
  void everyIconThatATemplateNamesExists() throws Exception {
    String sprite =
        new String(assets.find("icons.svg").orElseThrow().content(), StandardCharsets.UTF_8);
    Pattern named = Pattern.compile("icon\\(f = f, name = \"([a-z-]+)\"\\)");
    try (Stream<Path> templates = Files.walk(Path.of("src/main/jte"))) {
      for (Path template : templates.filter(Files::isRegularFile).toList()) {
        Matcher icon = named.matcher(Files.readString(template));
        while (icon.find()) {
          assertThat(sprite).contains("id=\"" + icon.group(1) + "\"");
        }
      }
    }
  }

  @Test
  void everyPlaceHasAnIcon() {
    String sprite =
        new String(assets.find("icons.svg").orElseThrow().content(), StandardCharsets.UTF_8);

    assertThat(Place.all()).allMatch(place -> sprite.contains("id=\"" + place.name() + "\""));
  }

  @Test
  void scriptsMakeNoHtmlOfTexts() throws Exception {
    List<String> scripts = new ArrayList<>(Assets.SCRIPTS);
    scripts.addAll(Assets.SCRIPTS_OF_PLACES.values());
    for (String script : scripts) {
      String code = new String(assets.find(script).orElseThrow().content(), StandardCharsets.UTF_8);
      assertThat(code)
          .doesNotContainPattern(
              "innerHTML\\s*=|insertAdjacentHTML|document\\.write|\\beval\\(|new Function|localStorage");
    }
  }
}
