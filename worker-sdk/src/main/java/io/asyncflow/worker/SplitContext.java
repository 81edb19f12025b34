package io.asyncflow.worker;

import io.asyncflow.api.JobChild;
import io.asyncflow.worker.internal.stage.ContextJson;
import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;

/** What a {@link JobSplitter} sees. */
public interface SplitContext extends StageContext {

  /** The job's input, from its beginning; to be closed by the caller. */
  Reader input() throws IOException;

  /** The whole of it, up to 16 MiB. */
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
   * @param context what that stage reads, written as JSON unless it is a string; {@code null} for
   *     nothing. More than 4,096 bytes of it, up to 16 MiB, go into the context store
   */
  default JobChild child(String stage, Object context) {
    return new JobChild(stage, ContextJson.write(context), null);
  }
}
