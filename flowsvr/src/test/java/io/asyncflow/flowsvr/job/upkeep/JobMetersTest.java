package io.asyncflow.flowsvr.job.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.JobState;
import io.asyncflow.flowsvr.job.upkeep.JobStateStore.Ends;
import io.asyncflow.flowsvr.leader.LeaderElection;
import io.asyncflow.flowsvr.leader.LeaderTerm;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.TypeSeries;
import io.asyncflow.flowsvr.system.metric.ScrapedMetrics;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JobMetersTest {

  private Duration now = Duration.ZERO;
  private final JobStateStore store = mock(JobStateStore.class);
  private final LeaderElection election = mock(LeaderElection.class);
  private final JobMeters meters =
      new JobMeters(
          store,
          election,
          new Node() {
            @Override
            public long nanoTime() {
              return now.toNanos();
            }
          },
          mock(ScrapedMetrics.class));

  private void leads() {
    when(election.term()).thenReturn(Optional.of(new LeaderTerm(1, 0, Duration.ofSeconds(9))));
  }

  private HistogramSnapshot lives() {
    return (HistogramSnapshot) meters.ended().get(1);
  }

  @Test
  void onlyTheLeaderHasThem() {
    when(election.term()).thenReturn(Optional.empty());
    assertThat(meters.inStates()).isEmpty();
    assertThat(meters.ended()).isEmpty();
  }

  @Test
  void statesAreShownWhereTheEndsTakeTooLong() {
    leads();
    when(store.counts()).thenReturn(Map.of(JobState.FAILED, 7L));
    FlowException refusal = new FlowException(ErrorCode.LIMIT_EXCEEDED, "ask for less");
    when(store.endedAfter(any(), anyLong())).thenThrow(refusal);

    assertThatThrownBy(meters::ended).isSameAs(refusal);
    assertThat(meters.inStates().get(0).getDataPoints()).hasSize(1);
  }

  @Test
  void typesBeyondTheMostShareASeriesThatHasTheirSum() {
    leads();
    Map<String, EndedJobs> ended = new TreeMap<>();
    IntStream.range(0, TypeSeries.MOST + 2)
        .forEach(
            i -> {
              EndedJobs ofType = new EndedJobs();
              ofType.add(JobState.SUCCESS, 4, 2, 1_500);
              ofType.add(JobState.FAILED, 15, 1, 90_000_000);
              ofType.add(JobState.CANCELLED, 0, 1, 1);
              ended.put(String.format(Locale.ROOT, "type%03d", i), ofType);
            });
    when(store.endedAfter(any(), anyLong())).thenReturn(new Ends(1, ended), new Ends(2, Map.of()));

    assertThat(lives().getDataPoints()).hasSize(TypeSeries.MOST + 1);
    now = now.plusSeconds(15); // counts of new types are shown at the next read
    HistogramDataPointSnapshot others = of(TypeSeries.OTHERS);
    assertThat(others.getCount()).isEqualTo(6);
    assertThat(others.getSum()).isEqualTo(180_003);
    assertThat(others.getClassicBuckets().getUpperBound(4)).isEqualTo(1);
    assertThat(others.getClassicBuckets().getCount(4)).isEqualTo(4);
    assertThat(of("type000").getCount()).isEqualTo(3);
  }

  private HistogramDataPointSnapshot of(String type) {
    return lives().getDataPoints().stream()
        .filter(point -> point.getLabels().get("type").equals(type))
        .findFirst()
        .orElseThrow();
  }
}
