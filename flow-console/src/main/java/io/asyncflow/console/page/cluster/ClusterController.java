package io.asyncflow.console.page.cluster;

import io.asyncflow.api.Call;
import io.asyncflow.api.act.ActPage;
import io.asyncflow.console.frame.Visit;
import io.asyncflow.console.page.Listing;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** The servers and their duties, and the record of acts. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}")
public class ClusterController {

  /** What servers and duties say of themselves. */
  public static final Call<ClusterViews.Cluster> STATUS =
      Call.to("/api/governance/status", ClusterViews.Cluster.class);

  private static final Call<ClusterViews.Store> USAGE =
      Call.to("/api/store/usage", ClusterViews.Store.class);

  private static final Listing ACTS =
      new Listing("/audit", "actor", "object", "act", "from=", "to=");
  private static final Call<ActPage> LIST = Call.to("/api/audit/list", ActPage.class);

  /** A store that is away is no reason not to show the servers. */
  @GetMapping("/cluster")
  public ResponseEntity<byte[]> cluster(Visit visit) {
    ClusterViews.Cluster cluster = visit.send(STATUS);
    ClusterViews.Store store = Visit.orElse(() -> visit.send(USAGE), null);
    return visit.show("cluster", new ClusterViews.Shown(cluster, store));
  }

  @GetMapping("/audit")
  public ResponseEntity<byte[]> audit(Visit visit) {
    ClusterViews.Filter filter = ClusterViews.Filter.of(visit);
    ActPage page =
        visit.send(ACTS.page(visit, LIST).with("from", filter.from()).with("to", filter.to()));
    String older = ACTS.next(visit, page.nextCursor());
    return visit.show("audit", new ClusterViews.Audit(page.actList(), filter, older));
  }
}
