package io.asyncflow.flowsvr.base.duty;

import static java.util.stream.Collectors.joining;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Reads which features have rows. Thread-safe. */
@Component
class FeatureStore {

  private final JdbcClient jdbc;

  FeatureStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** Those of the features that are in use. One statement. */
  Set<Feature> inUse(List<Feature> features) {
    String sql =
        features.stream()
            .map(feature -> "EXISTS (SELECT 1 FROM " + feature.rows() + ")")
            .collect(joining(", ", "SELECT ", ""));
    return jdbc.sql(sql)
        .query(
            (rs, row) -> {
              Set<Feature> found = new HashSet<>();
              for (int i = 0; i < features.size(); i++) {
                if (rs.getBoolean(i + 1)) {
                  found.add(features.get(i));
                }
              }
              return found;
            })
        .single();
  }
}
