package io.asyncflow.flowsvr.compose.store;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;

/**
 * An open object.
 *
 * @param content the content from its beginning; later changes of the key do not affect it
 * @param length in bytes
 */
public record StoredObject(InputStream content, long length) implements Closeable {

  @Override
  public void close() throws IOException {
    content.close();
  }
}
