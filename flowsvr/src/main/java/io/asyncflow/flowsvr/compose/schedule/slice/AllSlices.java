package io.asyncflow.flowsvr.compose.schedule.slice;

import io.asyncflow.rules.schedule.ScheduleRules;
import java.util.List;
import java.util.stream.IntStream;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Primary;
import org.springframework.stereotype.Component;

/**
 * The lie that this server owns every slice: for tests only, by {@code
 * --flow.schedule.all-slices=true}.
 *
 * <p>Safety does not depend on slices. A cluster in which every server lies like this must fire
 * each schedule exactly as often as an honest one, only at a higher cost. Thread-safe.
 */
@Component
@Primary
@ConditionalOnProperty("flow.schedule.all-slices")
public final class AllSlices implements SliceLeases {

  private final List<OwnedSlice> all;

  /** Owns them at epoch 0. */
  public AllSlices() {
    this(0);
  }

  /** Owns them at this epoch. */
  public AllSlices(long epoch) {
    this.all =
        IntStream.range(0, ScheduleRules.SLICES)
            .mapToObj(slice -> new OwnedSlice(slice, epoch))
            .toList();
  }

  @Override
  public SliceUse use() {
    return new SliceUse(all, () -> {});
  }
}
