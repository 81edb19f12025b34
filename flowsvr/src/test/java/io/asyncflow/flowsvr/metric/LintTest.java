package io.asyncflow.flowsvr.metric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The check finds what it is for; otherwise a good server proves nothing. */
class LintTest {

  private static String problemsOf(String... lines) {
    return Exposition.parse(String.join("\n", lines)).families().stream()
        .map(Lint::problems)
        .flatMap(List::stream)
        .collect(Collectors.joining(", "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a_tasks_total | counter |",
        "a_wait_seconds | gauge |",
        "a_tasks | counter | _total",
        "a_tasks_total | gauge | _total",
        "a_waitTime | gauge | snake case",
        "a_lag_milliseconds | gauge | base unit",
        "a_lag_ms | gauge | base unit",
        "a_seconds_lag | gauge | before other words",
        "a_wait_gauge | gauge | its type in its name",
        "a_wait | untyped | no TYPE"
      })
  void namesFollowTheConventions(String name, String type, String problem) {
    String found =
        problemsOf("# HELP " + name + " what", "# TYPE " + name + " " + type, name + " 1");
    if (problem == null) {
      assertThat(found).isEmpty();
    } else {
      assertThat(found).contains(problem);
    }
  }

  @Test
  void helpIsNeededAndLabelsOfAScrapeAreNotTaken() {
    assertThat(problemsOf("# HELP a  ", "# TYPE a gauge", "a 1")).contains("no HELP");
    assertThat(problemsOf("# HELP a b", "# TYPE a gauge", "a{job=\"x\"} 1"))
        .contains("has the label job");
    assertThat(problemsOf("# HELP a b", "# TYPE a gauge", "a{x=\"y\"} 1", "a{x=\"y\"} 2"))
        .contains("twice");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 | 2 | +Inf | 5 | 7 | 7 | 7 |",
        "2 | 1 | +Inf | 5 | 7 | 7 | 7 | unsorted",
        "1 | 2 | +Inf | 5 | 4 | 7 | 7 | do not add up",
        "1 | 2 | 3    | 5 | 7 | 7 | 7 | no bucket +Inf",
        "1 | 2 | +Inf | 5 | 7 | 7 | 8 | another number"
      })
  void histogramsAreWhole(
      String first,
      String second,
      String third,
      int one,
      int two,
      int three,
      int n,
      String problem) {
    String found =
        problemsOf(
            "# HELP a_seconds b",
            "# TYPE a_seconds histogram",
            "a_seconds_bucket{le=\"" + first + "\"} " + one,
            "a_seconds_bucket{le=\"" + second + "\"} " + two,
            "a_seconds_bucket{le=\"" + third + "\"} " + three,
            "a_seconds_count " + n,
            "a_seconds_sum 3.5");
    if (problem == null) {
      assertThat(found).isEmpty();
    } else {
      assertThat(found).contains(problem);
    }
  }
}
