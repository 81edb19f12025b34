package io.asyncflow.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.LoadState;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.console.SampleApi;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An operator at work: news, acts, keys. */
@Tag("browser")
class OperatorIT extends BrowserTest {

  @Test
  void chartTellsTheValuesBelowThePointer() {
    open("/types/tts?tab=history", "lang=en&zone=UTC", WIDE, true);
    Locator chart = page.locator("[data-key=flow] svg");
    chart.hover();

    String row = page.locator("[data-key=flow] tbody tr >> nth=30").textContent();
    PlaywrightAssertions.assertThat(page.locator("[data-key=flow] .said"))
        .containsText(row.substring(0, row.indexOf(':') + 3).strip());
    page.mouse().move(1, 1);
    PlaywrightAssertions.assertThat(page.locator(".cross")).hasCount(0);
  }

  @Test
  void foldedTableOfAChartStaysOpenWhenNewsArrive() {
    open("/types/tts?tab=history", "lang=en&refresh=2", WIDE, true);
    page.locator("[data-key=flow] summary").click();
    page.locator("h1").click();
    api.withLoad(3);

    PlaywrightAssertions.assertThat(page.locator("[data-key=flow] figcaption p"))
        .containsText("285,");
    PlaywrightAssertions.assertThat(page.locator("[data-key=flow] details"))
        .hasAttribute("open", "");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/failures",
        "/types/tts?tab=history",
        "/tasks?q=type:tts",
        "/jobs/" + SampleApi.JOB
      })
  void firstViewTakesFewRequestsAndNothingMoves(String address) {
    open("/help", "lang=en&times=relative&refresh=0", WIDE, true);
    AtomicInteger requests = new AtomicInteger();
    page.onRequest(request -> requests.incrementAndGet());
    page.navigate(base() + "/console" + address);
    page.waitForLoadState(LoadState.NETWORKIDLE);

    assertThat(requests.get()).isLessThanOrEqualTo(13);
    assertThat(
            page.evaluate(
                "() => new Promise(done => new PerformanceObserver(list => done("
                    + "list.getEntries().reduce((sum, e) => sum + e.value, 0)))"
                    + ".observe({type: 'layout-shift', buffered: true})"
                    + " || setTimeout(() => done(0), 1000))"))
        .as("layout shift")
        .isEqualTo(0);
  }

  @Test
  void pageThatNobodySeesAsksForNothing() {
    open("", "lang=en&refresh=2", WIDE, true);
    page.waitForRequest(base() + "/console", () -> {});
    AtomicInteger looks = new AtomicInteger();
    page.onRequest(request -> looks.incrementAndGet());
    page.evaluate(
        "Object.defineProperty(document, 'hidden', {get: () => true, configurable: true})");
    looks.set(0);
    page.waitForTimeout(5_000);
    assertThat(looks.get()).isZero();

    page.evaluate("delete document.hidden");
    page.waitForRequest(base() + "/console", () -> {});
  }

  @Test
  void overviewTurnsStaleAndFreshAgain() {
    open("", "lang=en&refresh=2", WIDE, true);
    PlaywrightAssertions.assertThat(page.locator("#stale .notice")).hasCount(0);

    api.refusing(ErrorCode.UNAVAILABLE, "the database is down");
    PlaywrightAssertions.assertThat(page.locator("#stale .notice")).isVisible();
    page.screenshot(new Page.ScreenshotOptions().setPath(PICTURES.resolve("stale.png")));

    api.answering();
    PlaywrightAssertions.assertThat(page.locator("#stale .notice")).hasCount(0);
  }

  @Test
  void typeIsPausedOnTheOverview() {
    open("", "lang=en", WIDE, true);
    page.locator("#act-type_pause-tts > summary").click();
    PlaywrightAssertions.assertThat(page.locator("dialog input[name=reason]")).isFocused();
    page.keyboard().type("from the overview");
    page.keyboard().press("Enter");

    PlaywrightAssertions.assertThat(page.locator(".notice.ok")).hasText("The type is paused.");
    PlaywrightAssertions.assertThat(page.locator("h1")).hasText("Overview");
    assertThat(api.acts()).anyMatch(act -> "from the overview".equals(act.fields().get("reason")));
  }

  @Test
  void newsArriveInPlaceAndTheFocusStays() {
    open("/tasks/" + SampleApi.TASK, "lang=en&refresh=2", WIDE, true);
    Locator state = page.locator("#state .st");
    PlaywrightAssertions.assertThat(state).hasText("Executing");
    page.locator("#find").fill("24983");

    api.withTaskStatus(8);

    PlaywrightAssertions.assertThat(state).hasText("Failed");
    PlaywrightAssertions.assertThat(page.locator("#find")).isFocused();
    PlaywrightAssertions.assertThat(page.locator("#find")).hasValue("24983");
  }

  @Test
  void newsArePausedByAClickAndCanBeCopied() {
    open("/tasks/" + SampleApi.TASK, "lang=en&refresh=2", WIDE, true);
    page.locator("#live").click();
    PlaywrightAssertions.assertThat(page.locator("#live")).hasText("paused");
    page.locator("#live").click();
    PlaywrightAssertions.assertThat(page.locator("#live")).hasText("live");

    api.withTaskStatus(8);
    PlaywrightAssertions.assertThat(page.locator("#past tbody tr:last-child"))
        .containsText("Failed");
    page.evaluate( // the sign lasts for a second
        "new MutationObserver(() => {"
            + " if (document.querySelector('#past .copy.done'))"
            + " document.documentElement.dataset.copied = '1';"
            + " }).observe(document.body,"
            + " {subtree: true, attributes: true, attributeFilter: ['class']})");
    page.locator("#past .copy >> nth=0").click();
    PlaywrightAssertions.assertThat(page.locator("html[data-copied]")).hasCount(1);
  }

  @Test
  void pageThatGotNoTurnAsksUntilItIsShown() {
    api.refusing(ErrorCode.LIMIT_EXCEEDED, "all are busy");
    open("/jobs", "lang=en", WIDE, true);
    PlaywrightAssertions.assertThat(page.locator("h1")).hasText("Not now");

    api.answering();
    PlaywrightAssertions.assertThat(page.locator("h1")).hasText("Jobs");
    complaints.removeIf(complaint -> complaint.contains("429"));
  }

  @Test
  void pageWhoseSessionHasEndedLeadsToTheLogIn() {
    open("/tasks/" + SampleApi.TASK, "lang=en&refresh=2", WIDE, true);
    PlaywrightAssertions.assertThat(page.locator("#live")).hasText("live");

    door.shut(true);

    page.waitForURL("**/console/login?to=/console/tasks/" + SampleApi.TASK);
  }

  @Test
  void pageThatGotNoTurnLeadsToTheLogInOnceItsSessionHasEnded() {
    api.refusing(ErrorCode.LIMIT_EXCEEDED, "all are busy");
    open("/jobs", "lang=en", WIDE, true);
    PlaywrightAssertions.assertThat(page.locator("h1")).hasText("Not now");

    door.shut(true);

    page.waitForURL("**/console/login?to=/console/jobs");
    complaints.removeIf(complaint -> complaint.contains("429"));
  }

  @Test
  void sessionThatEndsTakesAwayNothingThatWasTyped() {
    open("/tasks/" + SampleApi.TASK, "lang=en&refresh=2", WIDE, true);
    page.locator("#act-task_cancel > summary").click();
    page.locator("dialog input[name=reason]").fill("wrong voice");

    door.shut(true);

    PlaywrightAssertions.assertThat(page.locator("#live")).hasText("the session has ended: log in");
    PlaywrightAssertions.assertThat(page.locator("dialog input[name=reason]"))
        .hasValue("wrong voice");
    AtomicInteger looks = new AtomicInteger();
    page.onRequest(request -> looks.incrementAndGet());
    page.keyboard().press("Escape");
    page.waitForTimeout(3_000);
    assertThat(looks.get()).as("looks of a page whose session has ended").isZero();
    PlaywrightAssertions.assertThat(page.locator("#act-task_cancel input[name=reason]"))
        .hasValue("wrong voice");

    page.locator("#live").click();
    page.waitForURL("**/console/login?to=/console/tasks/" + SampleApi.TASK);
  }

  @Test
  void pageThatIsElsewhereNowIsNoEndOfTheSessionAndFollowsOnceNothingIsTyped() {
    open("", "lang=en&refresh=2", WIDE, true);
    page.locator("#find").fill("ada");
    CountDownLatch redirects = new CountDownLatch(2);
    page.onResponse(
        response -> {
          if (response.status() == 303) redirects.countDown();
        });

    api.withVerbs("TYPE_READ", "TASK_READ");

    page.waitForCondition(() -> redirects.getCount() == 0);
    PlaywrightAssertions.assertThat(page.locator("#live")).hasAttribute("data-state", "on");
    PlaywrightAssertions.assertThat(page.locator("#find")).hasValue("ada");
    page.locator("#find").fill("");
    page.locator("#find").blur();
    page.waitForURL("**/console/types");
  }

  @Test
  void focusReturnsToTheActOfATaskThatHasMovedMeanwhile() {
    open("/tasks/" + SampleApi.TASK, "lang=en&refresh=2", WIDE, true);
    page.locator("#act-task_cancel > summary").click();
    page.locator("dialog input[name=reason]").fill("wrong voice");
    api.withTaskStatus(8);
    PlaywrightAssertions.assertThat(page.locator("#state .st")).hasText("Failed");

    page.keyboard().press("Escape");
    PlaywrightAssertions.assertThat(page.locator("#act-task_cancel > summary")).isFocused();
    PlaywrightAssertions.assertThat(page.locator("#act-task_cancel input[name=reason]"))
        .hasValue("wrong voice");

    page.locator("h1").click();
    PlaywrightAssertions.assertThat(page.locator("#act-task_cancel")).hasCount(0);
  }

  @Test
  void enterInAFieldOfAGraveActLeadsToItsButton() {
    open("/tasks/" + SampleApi.TASK, "lang=en&refresh=0", WIDE, true);
    page.locator("#act-task_cancel > summary").click();
    PlaywrightAssertions.assertThat(page.locator("dialog input[name=reason]")).isFocused();
    int before = api.acts().size();

    page.keyboard().press("Enter");
    PlaywrightAssertions.assertThat(page.locator("dialog button.grave")).isFocused();
    assertThat(api.acts()).hasSize(before);

    page.keyboard().press("Enter");
    PlaywrightAssertions.assertThat(page.locator(".notice.ok")).hasText("The task was cancelled.");
  }

  @Test
  void keyOfAnActOpensNoActOfARow() {
    open("", "lang=en&refresh=0", WIDE, true);
    page.evaluate("document.getElementById('act-type_pause-tts').id = 'act-type_pause-my_retry'");
    page.keyboard().press("r");
    PlaywrightAssertions.assertThat(page.locator("dialog")).hasCount(0);
    page.keyboard().press("g");
    page.keyboard().press("w");
    page.waitForURL("**/workers");
  }

  @Test
  void newsOfWhatWasInUseArriveAfterwards() {
    open("/tasks/" + SampleApi.TASK, "lang=en&refresh=2", WIDE, true);
    page.locator("#facts").evaluate("e => getSelection().selectAllChildren(e)");
    api.withTaskStatus(8);
    PlaywrightAssertions.assertThat(page.locator("#state .st")).hasText("Failed");
    PlaywrightAssertions.assertThat(page.locator("#facts meter")).hasCount(1);

    page.evaluate("getSelection().removeAllRanges()");

    PlaywrightAssertions.assertThat(page.locator("#facts meter")).hasCount(0);
  }

  @Test
  void actIsConfirmedInADialogByTheKeyboardAlone() {
    open("/tasks/" + SampleApi.TASK, "lang=en", WIDE, true);
    page.locator("#act-task_cancel > summary").focus();
    page.keyboard().press("Enter");
    PlaywrightAssertions.assertThat(page.locator("dialog input[name=reason]")).isFocused();
    page.screenshot(new Page.ScreenshotOptions().setPath(PICTURES.resolve("dialog.png")));

    page.keyboard().press("Escape");
    PlaywrightAssertions.assertThat(page.locator("dialog")).hasCount(0);
    PlaywrightAssertions.assertThat(page.locator("#act-task_cancel > summary")).isFocused();

    page.keyboard().press("Enter");
    page.keyboard().type("by the keyboard");
    page.keyboard().press("Enter");
    page.keyboard().press("Enter");
    PlaywrightAssertions.assertThat(page.locator(".notice.ok")).hasText("The task was cancelled.");
    assertThat(api.acts()).anyMatch(act -> "by the keyboard".equals(act.fields().get("reason")));
  }

  @Test
  void bulkStartsOnceTheCountThatWasShownIsTyped() {
    open("/bulk/new?q=type:tts&act=RETRY", "lang=en", WIDE, false);
    page.locator("main form.filter button").click();
    page.locator("main input[name=reason]").fill("tape is back");
    page.locator("main input[name=count]").fill("11999");
    page.locator("main form[action$='/bulk/start'] button").click();
    assertThat(api.acts()).noneMatch(act -> act.path().equals("/api/bulk/start"));

    page.locator("main input[name=count]").fill("12000");
    page.locator("main form[action$='/bulk/start'] button").click();

    PlaywrightAssertions.assertThat(page.locator(".notice.ok")).hasText("The bulk has started.");
    assertThat(page.url()).endsWith("/console/bulk/" + SampleApi.BULK);
    assertThat(api.acts()).anyMatch(act -> "12000".equals(act.fields().get("count")));
  }

  @Test
  void keysLeadFromPageToPageAndThroughRows() {
    open("/types", "lang=en", WIDE, true);
    page.keyboard().press("j");
    page.keyboard().press("j");
    PlaywrightAssertions.assertThat(page.locator("tr.here")).hasAttribute("data-key", "Render");
    page.keyboard().press("Enter");
    page.waitForURL("**/types/render");
    page.keyboard().press("g");
    page.keyboard().press("w");
    page.waitForURL("**/workers");
    page.keyboard().press("Control+k");
    page.keyboard().type("aud");
    page.screenshot(new Page.ScreenshotOptions().setPath(PICTURES.resolve("palette.png")));
    page.keyboard().press("Enter");
    page.waitForURL("**/audit");
  }

  @Test
  void rowsAreSelectedByKeysAndStaySelectedWhenNewsCome() {
    open("/tasks?q=type:tts%20status:failed", "lang=en&refresh=2", WIDE, true);
    PlaywrightAssertions.assertThat(page.locator("button[value=retry]")).isDisabled();
    page.keyboard().press("j");
    page.keyboard().press("x");
    page.keyboard().press("j");
    page.keyboard().press("j");
    page.keyboard().press("Shift+X");
    PlaywrightAssertions.assertThat(page.locator("[data-picked]")).hasText("3 selected");
    page.screenshot(new Page.ScreenshotOptions().setPath(PICTURES.resolve("selected-rows.png")));

    page.keyboard().press("/");
    PlaywrightAssertions.assertThat(page.locator("#q")).isFocused();
    page.keyboard().press("Escape");
    page.locator("tbody tr:nth-child(2) th a").focus();
    page.keyboard().press("c");
    PlaywrightAssertions.assertThat(page.locator("h1")).hasText("Cancel 3 tasks");
    page.screenshot(new Page.ScreenshotOptions().setPath(PICTURES.resolve("selected-sure.png")));
    page.locator("form.sure input[name=reason]").fill("no tape");
    page.keyboard().press("Enter");
    PlaywrightAssertions.assertThat(page.locator("button.grave")).isFocused();
    page.keyboard().press("Enter");
    PlaywrightAssertions.assertThat(page.locator(".notice.ok")).hasText("3 tasks: done");
    assertThat(api.acts())
        .filteredOn(act -> act.path().equals("/api/task/cancel"))
        .filteredOn(act -> act.fields().containsKey("expectedEpoch"))
        .hasSizeGreaterThanOrEqualTo(3);
  }

  @Test
  void reloadAfterAnActOnSelectedTasksActsOnNothingAgain() {
    open("/tasks?q=type:tts%20status:failed", "lang=en&refresh=0", WIDE, true);
    page.locator("tbody tr:nth-child(1) input[name=task]").check();
    page.locator("button[value=cancel]").click();
    page.locator("button.grave").click();
    PlaywrightAssertions.assertThat(page.locator(".notice.ok")).hasText("1 task: done");
    int acts = api.acts().size();

    page.reload();

    PlaywrightAssertions.assertThat(page.locator("h1")).hasText("Tasks");
    assertThat(api.acts()).hasSize(acts);
  }

  @Test
  void mapIsWalkedByArrowsAndOpensAChild() {
    open("/jobs/" + SampleApi.JOB, "lang=en", WIDE, true);
    Locator cell = page.getByRole(AriaRole.GRIDCELL);
    page.locator("div.map").focus();
    page.keyboard().press("ArrowDown");
    page.keyboard().press("ArrowRight");
    PlaywrightAssertions.assertThat(cell).hasText("Child 101: Success");
    PlaywrightAssertions.assertThat(cell).hasAttribute("aria-colindex", "2");
    page.keyboard().press("End");
    PlaywrightAssertions.assertThat(cell).hasText("Child 1999: No task yet");
    page.keyboard().press("Home");
    page.keyboard().press("ArrowRight");
    page.keyboard().press("Enter");
    page.waitForURL("**/tasks/" + SampleApi.TASK);
  }

  @Test
  void soundIsPlayedAndNothingElse() {
    open("/tasks/" + SampleApi.TASK, "lang=en", WIDE, true);
    page.evaluate("document.querySelector('audio').play().then(() => window.played = true)");

    PlaywrightAssertions.assertThat(page.locator("audio")).hasCount(1);
    assertThat(page.evaluate("document.querySelector('audio').duration")).isEqualTo(0.2);
  }

  /** Finds a failed task, reads why, retries it, goes to its job, and cancels that. */
  @Test
  void operatorNeedsNoPointer() {
    api.withTaskStatus(8);
    open("/types", "lang=en", WIDE, true);
    page.keyboard().press("g");
    page.keyboard().press("t");
    page.waitForURL("**/tasks");
    page.keyboard().press("/");
    page.keyboard().type("type:tts status:failed");
    page.keyboard().press("Enter");
    page.waitForURL("**/tasks?q=*");
    page.keyboard().press("j");
    page.keyboard().press("Enter");
    page.waitForURL("**/tasks/2*");

    page.keyboard().press("w");
    PlaywrightAssertions.assertThat(page.locator("#why")).isFocused();
    PlaywrightAssertions.assertThat(page.locator("#why")).containsText("It has failed after 4");
    page.keyboard().press("r");
    PlaywrightAssertions.assertThat(page.locator("dialog input[name=reason]")).isFocused();
    page.keyboard().type("the tape is back");
    page.keyboard().press("Enter");
    PlaywrightAssertions.assertThat(page.locator(".notice.ok")).hasText("The task waits again.");

    tabTo(".crumb a[href*='/jobs/']");
    page.keyboard().press("Enter");
    page.waitForURL("**/jobs/" + SampleApi.JOB);
    page.keyboard().press("c");
    PlaywrightAssertions.assertThat(page.locator("dialog input[name=reason]")).isFocused();
    page.keyboard().type("not needed");
    page.keyboard().press("Enter");
    page.keyboard().press("Enter");
    PlaywrightAssertions.assertThat(page.locator(".notice.ok"))
        .hasText("The rest of the job is being cancelled.");

    assertThat(api.acts())
        .extracting(SampleApi.Called::path)
        .contains("/api/task/retry", "/api/job/cancel");
  }

  /** Goes from one thing to the next by the tabulator, until it is there. */
  private void tabTo(String selector) {
    for (int i = 0; i < 60; i++) {
      page.keyboard().press("Tab");
      if (Boolean.TRUE.equals(
          page.evaluate("selector => document.activeElement.matches(selector)", selector))) {
        return;
      }
    }
    throw new AssertionError("the tabulator does not come to " + selector);
  }

  @Test
  void pageWithoutScriptsReadsFiltersAndActs() {
    open("/workers", "lang=en", WIDE, false);
    page.locator("input[name=stage]").fill("split");
    page.locator("main form.filter button").click();
    assertThat(page.url()).contains("stage=split");

    page.navigate(base() + "/console/tasks/" + SampleApi.TASK);
    page.locator("#act-task_cancel > summary").click();
    page.locator("#act-task_cancel input[name=reason]").fill("without a script");
    page.locator("#act-task_cancel form button").click();
    PlaywrightAssertions.assertThat(page.locator(".notice.ok")).isVisible();
    assertThat(api.acts()).anyMatch(act -> "without a script".equals(act.fields().get("reason")));
  }
}
