package io.asyncflow.flowsvr.base.duty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.compose.job.HandDrivenServer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

@HandDrivenServer
@Tag("contract")
class FeaturesInUseIT {

  private static final Feature ODD = new Feature("t_feature WHERE id % 2 = 1");
  private static final Feature EVEN = new Feature("t_feature WHERE id % 2 = 0");

  private final AtomicLong clock = new AtomicLong();

  private final Node node =
      new Node() {
        @Override
        public long nanoTime() {
          return clock.incrementAndGet();
        }
      };

  private final JdbcClient jdbc;
  private final FeatureStore store;
  private final FeaturesInUse features;

  @Autowired
  FeaturesInUseIT(JdbcClient jdbc) {
    this.jdbc = jdbc;
    this.store = spy(new FeatureStore(jdbc));
    this.features = new FeaturesInUse(store, node);
  }

  @BeforeEach
  void makeTable() {
    dropTable();
    jdbc.sql("CREATE TABLE t_feature (id INT PRIMARY KEY)").update();
  }

  @AfterEach
  void dropTable() {
    jdbc.sql("DROP TABLE IF EXISTS t_feature").update();
  }

  private void insert(int id) {
    jdbc.sql("INSERT INTO t_feature VALUES (?)").param(id).update();
  }

  private void pass(Duration time) {
    clock.addAndGet(time.toNanos());
  }

  @Test
  void useIsSeenWithinTenSeconds() {
    assertThat(features.has(ODD)).isFalse();
    insert(1);

    pass(Duration.ofMillis(9_999));
    assertThat(features.has(ODD)).isFalse();
    pass(Duration.ofMillis(1));
    assertThat(features.has(ODD)).isTrue();
  }

  @Test
  void useIsSeenAtOnceWithNewsOfIt() {
    assertThat(features.has(ODD)).isFalse();
    insert(1);
    features.changed();

    assertThat(features.has(ODD)).isTrue();
    assertThat(features.has(EVEN)).isFalse();
  }

  @Test
  void allFeaturesAreReadByOneStatement() {
    insert(2);
    features.has(ODD);
    features.has(EVEN); // was not asked for before
    pass(Duration.ofSeconds(10));

    clearInvocations(store);
    for (int i = 0; i < 100; i++) {
      assertThat(features.has(ODD)).isFalse();
      assertThat(features.has(EVEN)).isTrue();
    }
    verify(store, times(1)).inUse(anyList());
  }
}
