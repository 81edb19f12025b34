package io.asyncflow.flowsvr.web.load;

import io.asyncflow.flowsvr.system.db.DatabaseWatch;
import io.asyncflow.flowsvr.web.error.DatabaseDownException;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.HandlerInterceptor;

/** Refuses requests while it is known that the database could not serve them. */
@Component
public class DatabaseGate implements HandlerInterceptor {

  private final DatabaseWatch database;

  DatabaseGate(DatabaseWatch database) {
    this.database = database;
  }

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    // A parked hold that comes back has its tasks already.
    boolean isNew = request.getDispatcherType() == DispatcherType.REQUEST;
    if (isNew && !database.isUp()) {
      throw new DatabaseDownException();
    }
    return true;
  }
}
