package io.asyncflow.flowsvr.schedule.slice;

import java.util.List;
import java.util.stream.IntStream;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Primary;
import org.springframework.stereotype.Component;

/**
 * The lie that this server owns every slice, at epoch 0: for tests only, by {@code
 * --flow.schedule.all-slices=true}.
 *
 * <p>Safety does not depend on slices. A cluster in which every server lies like this must fire
 * each schedule exactly as often as an honest one, only at a higher cost. Thread-safe.
 */
@Component
@Primary
@ConditionalOnProperty("flow.schedule.all-slices")
public final class AllSlices implements SliceLeases {

  private static final List<OwnedSlice> ALL =
      IntStream.range(0, SLICES).mapToObj(slice -> new OwnedSlice(slice, 0)).toList();

  @Override
  public List<OwnedSlice> trusted() {
    return ALL;
  }

  @Override
  public SliceUse use() {
    return new SliceUse(ALL, () -> {});
  }
}
