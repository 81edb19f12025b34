package io.asyncflow.flowsvr.compose.store;

import io.asyncflow.flowsvr.compose.store.ContextStore.Entry;
import io.asyncflow.flowsvr.compose.store.ContextStore.Usage;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.flowsvr.task.row.TaskAuthorization;
import io.asyncflow.flowsvr.task.row.TaskNotFoundException;
import io.asyncflow.rules.TaskId;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Which objects there are, and how full the store is; not their bytes. */
@RestController
@RequestMapping("/api/store")
class StoreListController {

  private static final int MOST = 1_000;

  private final ContextStore store;
  private final TaskAuthorization tasks;

  StoreListController(ContextStore store, TaskAuthorization tasks) {
    this.store = store;
    this.tasks = tasks;
  }

  record OfTask(String taskId) {}

  /**
   * An object.
   *
   * @param time epoch ms of its upload, by the store's clock
   */
  record StoredObjectView(String key, long bytes, long time) {}

  record Objects(List<StoredObjectView> objectList) {}

  @Takes(summary = "Lists the objects of a task", shape = OfTask.class, list = true)
  @Needs(Verb.TASK_READ)
  @GetOrPost("/list")
  Envelope<Objects> list(Fields in, Caller caller) {
    TaskId id = in.text("taskId").required().as(TaskId::parse, "is not a task id");
    in.refuseIfBad();
    tasks.require(id, caller);
    List<Entry> entries = entries(id);
    if (entries.isEmpty() && !tasks.exists(id)) {
      throw new TaskNotFoundException(id);
    }
    return Envelope.ok(
        new Objects(
            entries.stream()
                .map(
                    entry ->
                        new StoredObjectView(
                            entry.key().toString(), entry.bytes(), entry.stored().toEpochMilli()))
                .sorted(Comparator.comparing(StoredObjectView::key))
                .limit(MOST)
                .toList()));
  }

  private List<Entry> entries(TaskId id) {
    try {
      return store.entries(id.toString());
    } catch (IOException e) {
      throw StoreController.failed(e);
    }
  }

  @Takes(summary = "Says how full the store is")
  @Needs(Verb.GOVERN_READ)
  @GetOrPost("/usage")
  Envelope<Usage> usage(Caller caller) {
    caller.requireAll();
    try {
      return Envelope.ok(store.usage());
    } catch (IOException e) {
      throw StoreController.failed(e);
    }
  }
}
