package io.asyncflow.console.page.schedule;

import io.asyncflow.api.Call;
import io.asyncflow.api.schedule.FirePage;
import io.asyncflow.api.schedule.FirePreview;
import io.asyncflow.api.schedule.FirePreviewRequest;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.api.schedule.SchedulePage;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.console.frame.Visit;
import io.asyncflow.console.json.JsonTree;
import io.asyncflow.console.page.Act;
import io.asyncflow.console.page.ActTable;
import io.asyncflow.console.page.Listing;
import io.asyncflow.console.page.TypeNames;
import java.util.List;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import tools.jackson.databind.json.JsonMapper;

/**
 * The list of schedules, and the page of each. A name may have any characters, so the id stands in
 * the path.
 */
@Controller
@RequestMapping("${asyncflow.console.path:/console}/schedules")
public class ScheduleController {

  private static final int NEXT_FIRES = 5;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static final Listing SCHEDULES = new Listing("/schedules", "state", "type=taskType");
  private static final Call<SchedulePage> LIST = Call.to("/api/schedule/list", SchedulePage.class);
  private static final Call<FirePage> FIRES = Call.to("/api/schedule/fires", FirePage.class);

  private static final ActTable ACTS =
      new ActTable("schedule")
          .with("pause", "SCHEDULE_STEER")
          .with("resume", "SCHEDULE_STEER")
          .with("trigger", "SCHEDULE_STEER", "SCHEDULE_SAVE");

  @GetMapping
  public ResponseEntity<byte[]> list(Visit visit) {
    SchedulePage page = visit.send(SCHEDULES.page(visit, LIST));
    return visit.show(
        "schedules",
        new ScheduleViews.Listed(
            page.scheduleList(),
            visit.text("state"),
            visit.text("type"),
            SCHEDULES.next(visit, page.nextCursor()),
            TypeNames.read(visit)));
  }

  @GetMapping("/{id}")
  public ResponseEntity<byte[]> show(Visit visit, @PathVariable String id) {
    Schedule schedule = new ScheduleClient(visit.api()).get(id);
    Listing listing = new Listing(path(id));
    FirePage fires = visit.send(listing.page(visit, FIRES.with("scheduleId", id)));
    return visit.show(
        "schedule",
        new ScheduleViews.Shown(
            schedule,
            acts(visit, schedule),
            next(visit, schedule),
            fires.fireList(),
            fires.gapList(),
            listing.next(visit, fires.nextCursor()),
            JsonTree.of(creates(schedule))));
  }

  /** The next fires; those of a schedule without a plan follow from the ends of its runs. */
  private static FirePreview next(Visit visit, Schedule schedule) {
    return schedule.definition().afterMs() != null || schedule.state() == ScheduleState.ENDED
        ? null
        : new ScheduleClient(visit.api())
            .preview(FirePreviewRequest.of(schedule).count(NEXT_FIRES));
  }

  private static String creates(Schedule schedule) {
    Object created =
        schedule.definition().taskData() != null
            ? schedule.definition().taskData()
            : schedule.definition().jobData();
    return created == null ? "" : JSON.writeValueAsString(created);
  }

  private static List<Act> acts(Visit visit, Schedule schedule) {
    boolean isActive = schedule.state() == ScheduleState.ACTIVE;
    boolean isPaused = schedule.state() == ScheduleState.PAUSED;
    return List.of(
        act(visit, "pause", schedule)
            .unless(isPaused, "why_not.paused")
            .unless(!isActive, "why_not.ended"),
        act(visit, "resume", schedule).unless(!isPaused, "why_not.not_paused"),
        act(visit, "trigger", schedule));
  }

  private static Act act(Visit visit, String act, Schedule schedule) {
    return ACTS.act(visit, act, path(schedule.scheduleId()) + "/" + act);
  }

  private static String path(String id) {
    return "/schedules/" + id;
  }

  @PostMapping("/{id}/{act}")
  public ResponseEntity<byte[]> perform(
      Visit visit, @PathVariable String id, @PathVariable String act) {
    String catchUp = act.equals("resume") ? visit.form().given("catch_up") : null;
    visit.send(ACTS.call(visit, act, id).with("catchUp", catchUp));
    return visit.done("schedule_" + act, path(id));
  }
}
