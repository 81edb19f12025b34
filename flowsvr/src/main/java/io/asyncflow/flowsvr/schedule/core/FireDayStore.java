package io.asyncflow.flowsvr.schedule.core;

import io.asyncflow.flowsvr.system.day.DayTables;
import java.time.LocalDate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The tables of fires: {@code t_schedule_fire_{yyyymmdd}}, one for each UTC day of fire times. */
@Component
public class FireDayStore extends DayTables {

  private static final String FAMILY = "t_schedule_fire";

  FireDayStore(JdbcClient jdbc) {
    super(jdbc, FAMILY);
  }

  static String table(LocalDate day) {
    return table(FAMILY, day);
  }
}
