package io.asyncflow.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.asyncflow.bench.resource.ProcessLook;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SoakRunTest {

  @Test
  void growthIsThatOfTheLineThroughTheSamples() {
    // A MiB each 10 s from 20 s on, give or take.
    double[] noise = {0, 0, 0.5, -0.5, 0, 0, 0, 0, -0.5, 0.5};
    SoakRun run =
        run(IntStream.rangeClosed(1, 10).mapToObj(i -> sample(10 * i, i + noise[i - 1])).toList());

    assertThat(run.growth(s -> s.server().liveMiB())).isCloseTo(8, within(0.5));
  }

  @Test
  void whatStaysDoesNotGrow() {
    SoakRun run = run(List.of(sample(10, 50), sample(20, 50), sample(30, 50)));

    assertThat(run.growth(s -> s.server().liveMiB())).isZero();
    assertThat(run.growth(SoakSample::connections)).isZero();
  }

  @Test
  void oneSampleHasNoGrowth() {
    assertThat(run(List.of(sample(1, 50))).growth(s -> s.server().liveMiB())).isZero();
  }

  @Test
  void nothingIsJudgedByTheFirstFifth() {
    SoakRun run = run(List.of(sample(1, 1), sample(2, 60), sample(6, 60), sample(10, 60)));

    assertThat(run.growth(s -> s.server().liveMiB())).isZero();
  }

  private static SoakRun run(List<SoakSample> samples) {
    return new SoakRun(1_000, 600, samples);
  }

  private static SoakSample sample(double seconds, double liveMiB) {
    ProcessLook look = new ProcessLook(liveMiB, 30, 60);
    return new SoakSample(seconds, (long) (600 * seconds), look, look, 3, 10, 20, 400);
  }
}
