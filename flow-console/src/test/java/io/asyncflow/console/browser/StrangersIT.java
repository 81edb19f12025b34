package io.asyncflow.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.assertions.PlaywrightAssertions;
import io.asyncflow.console.Payloads;
import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SamplePages;
import io.asyncflow.console.text.Strange;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Texts of strangers in all pages, and the policy that stands behind. */
@Tag("browser")
class StrangersIT extends BrowserTest {

  static Stream<Arguments> hostilePages() {
    return SamplePages.ALL.stream()
        .filter(page -> !page.equals("/nowhere") && page.matches(PAGES))
        .map(Arguments::of);
  }

  /**
   * In each field that a stranger fills another one of forty texts, again and again, so that the
   * page meets them all. Without a browser, each page meets each text in all fields at once.
   */
  @ParameterizedTest
  @MethodSource("hostilePages")
  void textsOfStrangersRunNothingAndBreakNothing(String address) {
    List<String> payloads = Payloads.all();
    api.withStranger(payloads.toArray(String[]::new));
    open(address, "lang=en&refresh=0", NARROW, true);
    for (int status : new int[] {1, 8, 2}) {
      api.withTaskStatus(status);
      page.navigate(base() + "/console" + address);
      assertNothingRanAndAllFits();
    }
  }

  @Test
  void textsOfStrangersRunNothingWhereAFormIsAnswered() {
    api.withStranger(Payloads.all().toArray(String[]::new)).withTaskStatus(8);
    open("/bulk/new?q=type:tts&act=RETRY", "lang=en&refresh=0", NARROW, true);
    page.locator("main form.filter button").click();
    PlaywrightAssertions.assertThat(page.locator("main input[name=count]")).isVisible();
    assertNothingRanAndAllFits();

    page.navigate(base() + "/console/tasks?q=type:tts");
    page.locator("#pick-all input").check();
    page.locator("button[value=cancel]").click();
    PlaywrightAssertions.assertThat(page.locator("form.sure")).isVisible();
    assertNothingRanAndAllFits();
    page.locator("button.grave").click();
    PlaywrightAssertions.assertThat(page.locator("h1")).hasText("Cancellation of selected tasks");
    assertNothingRanAndAllFits();
  }

  private void assertNothingRanAndAllFits() {
    page.evaluate(
        "document.querySelectorAll('details:not(.act)').forEach(e => e.open = true);"
            + "document.querySelectorAll('main a, main td, main bdi, main input')"
            + ".forEach(e => e.dispatchEvent(new MouseEvent('mouseover', {bubbles: true})))");
    assertThat(page.evaluate("window.pwned === undefined")).isEqualTo(true);
    assertThat(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
        .as("fits")
        .isEqualTo(true);
  }

  static Stream<String> payloads() {
    return Payloads.all().stream();
  }

  @ParameterizedTest
  @MethodSource("payloads")
  void textOfAStrangerIsSeenAsItIs(String payload) {
    api.withStranger(payload);
    open("/tasks/" + SampleApi.TASK, "lang=en&refresh=0", NARROW, true);

    assertThat(page.evaluate(SHOWN)).isEqualTo(shown(payload));
    assertNothingRanAndAllFits();
  }

  /** The user of the task, as a reader sees it. */
  private static final String SHOWN =
      "document.querySelector('#facts > div:nth-child(3) dd').textContent.trim()";

  private static String shown(String text) {
    StringBuilder seen = new StringBuilder();
    Strange.of(text)
        .parts()
        .forEach(part -> seen.append(part.isMark() ? "⟨" + part.text() + "⟩" : part.text()));
    return seen.toString();
  }

  @Test
  void policyIsInForce() {
    open("/types", "lang=en", WIDE, true);

    assertThat(
            page.evaluate(
                "() => { try { document.body.innerHTML = '<b>x</b>'; return 'set'; }"
                    + " catch (e) { return e.name; } }"))
        .isEqualTo("TypeError");
    complaints.clear(); // the browser said so
  }
}
