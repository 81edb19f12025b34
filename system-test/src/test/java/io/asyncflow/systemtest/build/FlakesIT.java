package io.asyncflow.systemtest.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code .ci/Flakes.java} says at the end of a build, by reports as Surefire writes them. */
class FlakesIT {

  private static final Instant BEGIN = Instant.parse("2026-11-22T08:00:00Z");
  private static final String PASSED =
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuite name="x.PassedTest" tests="1" errors="0" skipped="0" failures="0" flakes="0">
        <testcase name="passes" classname="x.PassedTest" time="0.001">
          <system-out><![CDATA[<flakyFailure message="only printed"/>]]></system-out>
        </testcase>
      </testsuite>
      """;
  private static final String FLAKED =
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuite name="x.FlakedIT" tests="3" errors="0" skipped="0" failures="0" flakes="2">
        <testcase name="neverFails" classname="x.FlakedIT" time="0.001"/>
        <testcase name="failsFirst" classname="x.FlakedIT" time="0.007">
          <flakyFailure message="&#10;expected: 2&#10; but was: 1" type="x.AssertionError">
            <stackTrace><![CDATA[x.AssertionError: expected: 2]]></stackTrace>
          </flakyFailure>
        </testcase>
        <testcase name="breaksFirst" classname="x.FlakedIT" time="0.001">
          <flakyError type="java.lang.IllegalStateException">
            <stackTrace><![CDATA[java.lang.IllegalStateException]]></stackTrace>
          </flakyError>
        </testcase>
      </testsuite>
      """;

  @TempDir Path checkout;

  @Test
  void eachFlakeOfEachModuleIsNamedWithItsCause() throws Exception {
    report("one/target/surefire-reports/TEST-x.PassedTest.xml", PASSED, BEGIN);
    report("one/target/failsafe-reports/TEST-x.FlakedIT.xml", FLAKED, BEGIN.plusSeconds(5));
    report("two/target/surefire-reports/TEST-x.FlakedIT.xml", FLAKED, BEGIN.plusSeconds(9));

    assertThat(said())
        .contains("FLAKES")
        .containsSubsequence(
            "one: x.FlakedIT.failsFirst",
            "expected: 2 but was: 1",
            "one: x.FlakedIT.breaksFirst",
            "java.lang.IllegalStateException",
            "two: x.FlakedIT.failsFirst",
            "two: x.FlakedIT.breaksFirst")
        .doesNotContain("neverFails", "PassedTest");
  }

  @Test
  void nothingIsSaidWhereThereIsNone() throws Exception {
    report("one/target/surefire-reports/TEST-x.PassedTest.xml", PASSED, BEGIN);
    report("one/target/failsafe-reports/TEST-x.FlakedIT.xml", FLAKED, BEGIN.minusSeconds(1));
    report("one/target/failsafe-reports/failsafe-summary.xml", FLAKED, BEGIN);
    Files.createDirectories(checkout.resolve("docs"));

    assertThat(said()).isEmpty();
  }

  @Test
  void reportThatIsCutShortIsNamed() throws Exception {
    report("one/target/surefire-reports/TEST-x.Cut.xml", FLAKED.substring(0, 300), BEGIN);

    assertThat(said()).contains("TEST-x.Cut.xml", "cannot be read");
  }

  private void report(String file, String xml, Instant written) throws IOException {
    Path report = checkout.resolve(file);
    Files.createDirectories(report.getParent());
    Files.writeString(report, xml);
    Files.setLastModifiedTime(report, FileTime.from(written));
  }

  private String said() throws IOException, InterruptedException {
    ProcessBuilder java =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            Path.of("..", ".ci", "Flakes.java").toString(),
            checkout.toString(),
            BEGIN.toString());
    java.environment().remove("JAVA_TOOL_OPTIONS"); // or the program says that it has picked it up
    Process process = java.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }
}
