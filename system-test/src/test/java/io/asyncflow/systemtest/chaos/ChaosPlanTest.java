package io.asyncflow.systemtest.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ChaosPlanTest {

  @Test
  void headlineIsTheDefault() {
    ChaosPlan plan = ChaosPlan.parse();
    assertThat(plan.tasks()).isEqualTo(5_000);
    assertThat(plan.jobs()).isEqualTo(5);
    assertThat(plan.servers()).isEqualTo(3);
    assertThat(plan.workers()).isEqualTo(6);
    assertThat(plan.load()).isEqualTo(Duration.ofMinutes(2));
    assertThat(plan.calmAtLeast()).isEqualTo(Duration.ofSeconds(5));
    assertThat(plan.calmAtMost()).isEqualTo(Duration.ofSeconds(15));
  }

  @Test
  void everyOptionIsHeeded() {
    ChaosPlan plan =
        ChaosPlan.parse(
            "--minutes",
            "7",
            "--tasks",
            "9",
            "--jobs",
            "4",
            "--seed",
            "-3",
            "--servers",
            "1",
            "--workers",
            "2");
    assertThat(plan).isEqualTo(new ChaosPlan(9, 4, -3, 1, 2, Duration.ofMinutes(7)));
    assertThat(ChaosPlan.parse("--jobs", "0").jobs()).isZero();
  }

  @Test
  void fewTasksHaveAsManyFaultsInLessTime() {
    ChaosPlan plan = ChaosPlan.of(500, 1);
    assertThat(plan.load()).isEqualTo(Duration.ofSeconds(12));
    assertThat(plan.calmAtLeast()).isEqualTo(Duration.ofMillis(500));
    assertThat(plan.calmAtMost()).isEqualTo(Duration.ofMillis(1_500));
  }

  @Test
  void manyTasksHaveAFaultAsOften() {
    ChaosPlan plan = ChaosPlan.of(1_000_000, 1);
    assertThat(plan.calmAtLeast()).isEqualTo(Duration.ofSeconds(5));
    assertThat(plan.calmAtMost()).isEqualTo(Duration.ofSeconds(15));
  }

  @Test
  void whatCannotBeReadIsSaidInOneSentence() {
    assertThatThrownBy(() -> ChaosPlan.parse("--task", "1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("There is no option --task.");
    assertThatThrownBy(() -> ChaosPlan.parse("--tasks", "many"))
        .hasMessage("--tasks wants a number, and \"many\" is none.");
    assertThatThrownBy(() -> ChaosPlan.parse("--tasks"))
        .hasMessage("--tasks wants a number, and \"\" is none.");
    assertThatThrownBy(() -> ChaosPlan.parse("--workers", "0"))
        .hasMessage("--workers wants 1 to 100000000, and not 0.");
  }
}
