package io.asyncflow.flowsvr.operate.stats;

import io.asyncflow.api.stats.Meta;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.flowsvr.operate.stats.depth.Depths;
import io.asyncflow.rules.field.TaskLimits;
import java.time.Duration;
import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.web.bind.annotation.RestController;

/** Tells what answers, and as whom it sees the caller. */
@RestController
class MetaController {

  private static final long LIST_PAGE = 1_000;

  private final Node node;
  private final ReadDatabase database;
  private final Map<String, Boolean> features;
  private final Map<String, Long> limits;

  MetaController(
      Node node,
      ReadDatabase database,
      Depths depths,
      @Value("${flow.redis.url:}") String redis,
      @Value("${flow.store.s3.bucket:}") String bucket,
      @Value("${flow.stats.history:14d}") Duration history) {
    this.node = node;
    this.database = database;
    this.features =
        Map.of(
            "redis", !redis.isBlank(),
            "s3", !bucket.isBlank(),
            "estimates", depths.estimates());
    this.limits =
        Map.of(
            "listPage",
            LIST_PAGE,
            "batch",
            (long) TaskLimits.BATCH,
            "seriesPoints",
            (long) StatsController.MAX_POINTS,
            "historyMs",
            history.toMillis());
  }

  @Takes(summary = "Tells the server's version, its features and who calls")
  @Needs(Verb.STATS_READ)
  @GetOrPost("/api/meta")
  Envelope<Meta> meta(Caller caller) {
    return Envelope.ok(
        new Meta(
            MetaController.class.getPackage().getImplementationVersion(),
            node.id(),
            database.inTurn(database::now),
            features,
            caller.principal(),
            caller.roles().stream().map(Enum::name).toList(),
            limits));
  }
}
