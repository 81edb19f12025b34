package io.asyncflow.api.codec;

import io.asyncflow.api.schedule.ForwardingScheduleClient;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.SavedSchedule;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.api.schedule.ScheduleListRequest;
import io.asyncflow.api.schedule.SchedulePage;
import java.util.List;

/** The calls about schedules, sealed and opened. */
final class SealingScheduleClient extends ForwardingScheduleClient {

  private final Sealing sealing;

  SealingScheduleClient(ScheduleClient schedules, Sealing sealing) {
    super(schedules);
    this.sealing = sealing;
  }

  @Override
  public SavedSchedule save(NewSchedule schedule) {
    return super.save(sealing.sealed(schedule));
  }

  @Override
  public SavedSchedule save(NewSchedule schedule, long ifVersion) {
    return super.save(sealing.sealed(schedule), ifVersion);
  }

  @Override
  public List<SavedSchedule> saveAll(List<NewSchedule> all) {
    return super.saveAll(all.stream().map(sealing::sealed).toList());
  }

  @Override
  public Schedule get(String scheduleId) {
    return opened(super.get(scheduleId));
  }

  @Override
  public Schedule find(String name) {
    return opened(super.find(name));
  }

  @Override
  public SchedulePage list(ScheduleListRequest request) {
    SchedulePage page = super.list(request);
    return new SchedulePage(
        page.scheduleList().stream().map(this::openedIfPossible).toList(), page.nextCursor());
  }

  private Schedule opened(Schedule schedule) {
    return schedule.withDefinition(sealing.opened(schedule.definition()));
  }

  private Schedule openedIfPossible(Schedule schedule) {
    try {
      return opened(schedule);
    } catch (CodecException staysSealed) {
      return schedule;
    }
  }
}
