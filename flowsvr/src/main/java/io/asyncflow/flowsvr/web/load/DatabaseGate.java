package io.asyncflow.flowsvr.web.load;

import io.asyncflow.flowsvr.system.db.DatabaseWatch;
import io.asyncflow.flowsvr.web.error.DatabaseDownException;
import io.asyncflow.flowsvr.web.read.Takes;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/** Refuses calls of the API while the database is known to be down. */
@Component
public class DatabaseGate implements HandlerInterceptor {

  private final DatabaseWatch database;

  DatabaseGate(DatabaseWatch database) {
    this.database = database;
  }

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    // A parked hold that is dispatched again already has its tasks.
    boolean isNew = request.getDispatcherType() == DispatcherType.REQUEST;
    boolean isCall =
        handler instanceof HandlerMethod method && method.hasMethodAnnotation(Takes.class);
    if (isNew && isCall && !database.isUp()) {
      throw new DatabaseDownException();
    }
    return true;
  }
}
