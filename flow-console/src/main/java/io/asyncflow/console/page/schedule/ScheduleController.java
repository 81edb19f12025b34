package io.asyncflow.console.page.schedule;

import io.asyncflow.api.schedule.FirePage;
import io.asyncflow.api.schedule.FirePreview;
import io.asyncflow.api.schedule.FirePreviewRequest;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.SchedulePage;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.console.frame.Calls;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Pages;
import io.asyncflow.console.json.JsonTree;
import io.asyncflow.console.page.Act;
import io.asyncflow.console.page.Form;
import io.asyncflow.console.page.TypeNames;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import tools.jackson.databind.json.JsonMapper;

/**
 * The list of schedules, and the page of each. A name may have any characters, so the id stands in
 * the path.
 */
@Controller
@RequestMapping("${asyncflow.console.path:/console}/schedules")
public class ScheduleController {

  private static final int PAGE = 100;
  private static final int NEXT_FIRES = 5;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Pages pages;
  private final Calls calls;

  public ScheduleController(Pages pages, Calls calls) {
    this.pages = pages;
    this.calls = calls;
  }

  @GetMapping
  public ResponseEntity<byte[]> list(
      Frame frame, @RequestParam Map<String, String> fields, HttpServletRequest request) {
    Form form = new Form(fields);
    String state = form.text("state");
    String type = form.text("type");
    SchedulePage page =
        calls.get(
            SchedulePage.class,
            "/api/schedule/list",
            "state",
            state,
            "taskType",
            type,
            "cursor",
            form.text("cursor"),
            "limit",
            PAGE);
    String older =
        page.nextCursor() == null
            ? null
            : frame.to("/schedules", "state", state, "type", type, "cursor", page.nextCursor());
    return pages.show(
        frame,
        "schedules",
        new ScheduleViews.Listed(
            page.scheduleList(), state, type, older, TypeNames.read(calls, request)));
  }

  @GetMapping("/{id}")
  public ResponseEntity<byte[]> show(
      Frame frame, @PathVariable String id, @RequestParam Map<String, String> fields) {
    Schedule schedule =
        calls.get(Schedule.class, "scheduleData", "/api/schedule/get", Map.of("scheduleId", id));
    FirePage fires =
        calls.get(
            FirePage.class,
            "/api/schedule/fires",
            "scheduleId",
            id,
            "cursor",
            new Form(fields).text("cursor"),
            "limit",
            PAGE);
    String older =
        fires.nextCursor() == null ? null : frame.to(path(id), "cursor", fires.nextCursor());
    return pages.show(
        frame,
        "schedule",
        new ScheduleViews.Shown(
            schedule,
            acts(frame, schedule),
            next(schedule),
            fires.fireList(),
            fires.gapList(),
            older,
            JsonTree.of(creates(schedule))));
  }

  /** The next fires; those of a schedule without a plan follow from the ends of its runs. */
  private FirePreview next(Schedule schedule) {
    if (schedule.definition().afterMs() != null || schedule.state() == ScheduleState.ENDED) {
      return null;
    }
    FirePreviewRequest plan = FirePreviewRequest.of(schedule).count(NEXT_FIRES);
    return calls.get(
        FirePreview.class,
        "/api/schedule/preview",
        "cron",
        plan.cron(),
        "zone",
        plan.zone(),
        "everyMs",
        plan.everyMs(),
        "anchor",
        plan.anchor(),
        "startTime",
        plan.startTime(),
        "endTime",
        plan.endTime(),
        "maxFires",
        plan.maxFires(),
        "count",
        plan.count());
  }

  private static String creates(Schedule schedule) {
    Object created =
        schedule.definition().taskData() != null
            ? schedule.definition().taskData()
            : schedule.definition().jobData();
    return created == null ? "" : JSON.writeValueAsString(created);
  }

  private static List<Act> acts(Frame frame, Schedule schedule) {
    boolean isActive = schedule.state() == ScheduleState.ACTIVE;
    boolean isPaused = schedule.state() == ScheduleState.PAUSED;
    return List.of(
        act(frame, "SCHEDULE_STEER", "pause", schedule)
            .unless(isPaused, "why_not.paused")
            .unless(!isActive, "why_not.ended"),
        act(frame, "SCHEDULE_STEER", "resume", schedule).unless(!isPaused, "why_not.not_paused"),
        act(
            frame,
            frame.may("SCHEDULE_SAVE") ? "SCHEDULE_SAVE" : "SCHEDULE_STEER",
            "trigger",
            schedule));
  }

  private static Act act(Frame frame, String verb, String act, Schedule schedule) {
    return Act.of(
        frame, verb, "schedule_" + act, frame.to(path(schedule.scheduleId()) + "/" + act));
  }

  private static String path(String id) {
    return "/schedules/" + id;
  }

  @PostMapping("/{id}/{act}")
  public ResponseEntity<byte[]> act(
      Frame frame,
      @PathVariable String id,
      @PathVariable String act,
      @RequestParam Map<String, String> fields) {
    Form form = new Form(fields);
    String reason = form.text("reason");
    switch (act) {
      case "pause", "trigger" ->
          calls.call("/api/schedule/" + act, "scheduleId", id, "reason", reason);
      case "resume" ->
          calls.call(
              "/api/schedule/resume",
              "scheduleId",
              id,
              "catchUp",
              form.text("catch_up"),
              "reason",
              reason);
      default -> throw Form.noPage();
    }
    return Pages.done(frame, "schedule_" + act, frame.to(path(id)));
  }
}
