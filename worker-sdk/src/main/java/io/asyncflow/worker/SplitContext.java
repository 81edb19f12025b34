package io.asyncflow.worker;

import io.asyncflow.api.JobChild;
import io.asyncflow.worker.internal.json.ContextJson;
import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;

/** The context of a {@link JobSplitter}'s run. */
public interface SplitContext extends StageContext {

  /** The job's input from its beginning; the caller must close it. */
  Reader input() throws IOException;

  /** The whole input as a text, up to 16 MiB. */
  default String inputText() throws IOException {
    StringWriter text = new StringWriter();
    try (Reader reader = input()) {
      reader.transferTo(text);
    }
    return text.toString();
  }

  /**
   * A child that starts with {@code stage}.
   *
   * @param context the context of that stage, written as JSON unless it is a string; {@code null}
   *     for none. Contexts of more than 4,096 bytes, up to 16 MiB, go into the context store
   */
  default JobChild child(String stage, Object context) {
    return new JobChild(stage, ContextJson.write(context), null);
  }
}
