package io.asyncflow.flowsvr.task.table.schema;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.DirectDatabase;
import io.asyncflow.rules.TaskTable;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;

/**
 * Alters the tables of every family to the shape of the template when a migration has changed it,
 * before the server answers its first request.
 *
 * <p>If several servers start at the same time, one makes the changes, under a lease; the others
 * wait and find nothing left to do. Of two that made them nevertheless, the later one would be
 * refused a change that is made already, and its next start would find nothing to do. An
 * interrupted change is finished at the next start. The shape that all tables have is stored, so a
 * start without a change costs two statements, however many tables there are.
 */
@Component
@DependsOnDatabaseInitialization
class TaskTableUpgrade implements InitializingBean {

  private static final Logger log = LoggerFactory.getLogger(TaskTableUpgrade.class);

  private final TaskTableStore tables;
  private final DirectDatabase database;
  private final Node node;

  TaskTableUpgrade(TaskTableStore tables, DirectDatabase database, Node node) {
    this.tables = tables;
    this.database = database;
    this.node = node;
  }

  @Override
  public void afterPropertiesSet() {
    runOnce();
  }

  /**
   * @return how many tables were changed
   */
  int runOnce() {
    return tables.allHave(tables.templateShape())
        ? 0
        : tables.underChangeLease(database, node, TaskTableUpgrade::alterAll);
  }

  private static int alterAll(TaskTableStore tables) {
    TableShape template = tables.templateShape();
    if (tables.allHave(template)) {
      return 0; // another server has made the changes
    }
    int changed = 0;
    for (TaskTable table : tables.existing()) {
      try {
        changed += alter(tables, table, template) ? 1 : 0;
      } catch (DataAccessException e) {
        if (tables.exists(table)) {
          throw e;
        }
        log.info("{} was dropped meanwhile", table);
      }
    }
    tables.storeAllHave(template);
    return changed;
  }

  private static boolean alter(TaskTableStore tables, TaskTable table, TableShape template) {
    List<String> changes = tables.shapeOf(table).changesTo(template);
    for (String change : changes) {
      log.info("altering {} to the template: {}", table, change);
      tables.alter(table, change);
    }
    return !changes.isEmpty();
  }
}
