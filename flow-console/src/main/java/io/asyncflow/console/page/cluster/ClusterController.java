package io.asyncflow.console.page.cluster;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.act.ActPage;
import io.asyncflow.console.frame.Calls;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Pages;
import io.asyncflow.console.page.Form;
import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** The servers and their duties, and the record of acts. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}")
public class ClusterController {

  private static final int PAGE = 100;

  private final Pages pages;
  private final Calls calls;

  public ClusterController(Pages pages, Calls calls) {
    this.pages = pages;
    this.calls = calls;
  }

  @GetMapping("/cluster")
  public ResponseEntity<byte[]> cluster(Frame frame) {
    ClusterViews.Cluster cluster = calls.get(ClusterViews.Cluster.class, "/api/governance/status");
    return pages.show(frame, "cluster", new ClusterViews.Shown(cluster, store()));
  }

  /** A store that is away is no reason not to show the servers. */
  private ClusterViews.Store store() {
    try {
      return calls.get(ClusterViews.Store.class, "/api/store/usage");
    } catch (FlowException refused) {
      return null;
    }
  }

  @GetMapping("/audit")
  public ResponseEntity<byte[]> audit(Frame frame, @RequestParam Map<String, String> fields) {
    Form form = new Form(fields);
    ClusterViews.Filter filter =
        new ClusterViews.Filter(
            form.text("actor"),
            form.text("object"),
            form.text("act"),
            form.time(frame, "from"),
            form.time(frame, "to"));
    ActPage page =
        calls.get(
            ActPage.class,
            "/api/audit/list",
            "actor",
            filter.actor(),
            "object",
            filter.object(),
            "act",
            filter.act(),
            "from",
            filter.from(),
            "to",
            filter.to(),
            "cursor",
            form.text("cursor"),
            "limit",
            PAGE);
    String older =
        page.nextCursor() == null
            ? null
            : frame.to(
                "/audit",
                "actor",
                filter.actor(),
                "object",
                filter.object(),
                "act",
                filter.act(),
                "from",
                frame.times().field(filter.from()),
                "to",
                frame.times().field(filter.to()),
                "cursor",
                page.nextCursor());
    return pages.show(frame, "audit", new ClusterViews.Audit(page.actList(), filter, older));
  }
}
