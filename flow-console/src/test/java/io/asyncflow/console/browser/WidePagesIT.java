package io.asyncflow.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import io.asyncflow.console.SampleApi;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** All pages in wide windows, and the pictures of the documents. */
@Tag("browser")
class WidePagesIT extends PageLooks {

  private static final int PICTURE = 1280;

  WidePagesIT() {
    super(WIDE);
  }

  static Stream<Arguments> picturesOfTheDocs() {
    List<Arguments> pictures = new ArrayList<>();
    for (String language : List.of("en", "zh")) {
      for (String theme : List.of("light", "dark")) {
        pictures.add(Arguments.of("overview", "", language, theme));
        pictures.add(Arguments.of("history", "/types/tts?tab=history&range=6h", language, theme));
        pictures.add(Arguments.of("task", "/tasks/" + SampleApi.TASK, language, theme));
      }
    }
    return pictures.stream();
  }

  /**
   * What the documents show: copies of these pictures lie in {@code docs/images}. Of a task, that
   * is what a window shows.
   */
  @ParameterizedTest
  @MethodSource("picturesOfTheDocs")
  void pictureOfTheDocsIsTaken(String name, String address, String language, String theme) {
    api.calm(true).withTaskStatus(1);
    String preferences = "lang=" + language + "&theme=" + theme + "&zone=UTC&refresh=10";
    open(address, preferences, PICTURE, true, SampleApi.NOW + 2_000);

    Path picture = PICTURES.resolve("docs/console-" + name + "-" + language + "-" + theme + ".png");
    page.screenshot(
        new Page.ScreenshotOptions().setPath(picture).setFullPage(!name.equals("task")));
    assertThat(picture).isNotEmptyFile();
  }
}
