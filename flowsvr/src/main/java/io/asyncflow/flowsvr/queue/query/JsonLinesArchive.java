package io.asyncflow.flowsvr.queue.query;

import io.asyncflow.flowsvr.base.system.OwnerOnly;
import io.asyncflow.flowsvr.task.row.AnswerRoom;
import io.asyncflow.flowsvr.task.table.TableArchive;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes {@code {directory}/{table}.jsonl.gz}: one task per line, as {@code getTask} shows it, in
 * the order of creation.
 *
 * <p>The file gets its name only when it is complete and synced to disk. Tasks are read in pages,
 * so neither the heap nor the database's undo log grows with the table.
 */
@Component
class JsonLinesArchive implements TableArchive {

  private static final Logger log = LoggerFactory.getLogger(JsonLinesArchive.class);
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String SUFFIX = ".jsonl.gz";

  private final TaskTypes types;
  private final TaskListStore tasks;
  private final Path directory;

  /**
   * @param directory empty for no archive
   */
  JsonLinesArchive(
      TaskTypes types, TaskListStore tasks, @Value("${flow.archive-dir:}") String directory) {
    this.types = types;
    this.tasks = tasks;
    this.directory = directory.isBlank() ? null : Path.of(directory);
    if (this.directory != null) {
      warnIfNotWritable();
    }
  }

  /** Checks at the start, because the first table may be archived months later. */
  private void warnIfNotWritable() {
    try {
      OwnerOnly.createDirectories(directory);
      if (!Files.isWritable(directory)) {
        throw new AccessDeniedException(directory.toString());
      }
      protectEarlierArchives();
    } catch (IOException e) {
      log.warn(
          "FLOW_ARCHIVE_DIR cannot be written, and no table is dropped until it can: {}", "" + e);
    }
  }

  /**
   * Makes earlier archives readable by the owner only. The directory's own permissions are kept,
   * because it may be shared.
   */
  private void protectEarlierArchives() throws IOException {
    try (DirectoryStream<Path> archives =
        Files.newDirectoryStream(directory, "t_*_task_*" + SUFFIX)) {
      archives.forEach(OwnerOnly::protect);
    }
  }

  @Override
  public void write(TaskTable table) {
    if (directory == null) {
      return;
    }
    Path file = directory.resolve(table.sqlName() + SUFFIX);
    Path unfinished = directory.resolve(table.sqlName() + SUFFIX + ".unfinished");
    try {
      OwnerOnly.createDirectories(directory);
      Files.deleteIfExists(unfinished); // a file of an earlier version may be readable by others
      long written = writeTo(unfinished, table);
      Files.move(
          unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      log.info("{} was archived: {} tasks in {}", table, written, file);
    } catch (IOException e) {
      // The message of many IOExceptions is only the file's name, so the class is shown, too.
      throw new UncheckedIOException(
          table + " cannot be archived and is not dropped until it can: " + e, e);
    }
  }

  private long writeTo(Path file, TaskTable table) throws IOException {
    TaskTypeConfig type = types.require(table.type());
    long written = 0;
    try (FileChannel channel =
        OwnerOnly.open(
            file,
            Set.of(
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING))) {
      GZIPOutputStream lines = new GZIPOutputStream(Channels.newOutputStream(channel), 1 << 16);
      List<TaskRow> page = tasks.oldestAfter(0, table, AnswerRoom.SLICE);
      while (!page.isEmpty()) {
        for (TaskRow row : page) {
          writeLine(lines, JSON.writeValueAsBytes(row.toTask(type)));
        }
        written += page.size();
        page = tasks.oldestAfter(page.get(page.size() - 1).id().number(), table, AnswerRoom.SLICE);
      }
      lines.finish();
      channel.force(true);
    }
    return written;
  }

  private static void writeLine(OutputStream lines, byte[] json) throws IOException {
    lines.write(json);
    lines.write('\n');
  }
}
