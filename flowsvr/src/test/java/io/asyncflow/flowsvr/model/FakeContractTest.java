package io.asyncflow.flowsvr.model;

import static org.assertj.core.api.Assertions.fail;

import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random sequences against the model and against the fake server of the SDK. What {@link ModelIT}
 * holds the server to, this holds the fake to, so that a worker's tests tell the truth.
 */
class FakeContractTest {

  private static final int SEEDS = Integer.getInteger("asyncflow.fake.seeds", 4);
  private static final int COMMANDS = 300;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, SEEDS);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void fakeDoesWhatTheModelDoes(long seed) {
    new Comparison(ModelDriver::sweepingAtOnce, FakeDriver::new)
        .findDifference(CommandGenerator.forClients(seed).sequence(COMMANDS))
        .ifPresent(finding -> fail("seed " + seed + " " + finding));
  }
}
