package io.asyncflow.flowsvr.store;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;

/**
 * An object that is being read.
 *
 * @param content from its beginning; stays what it was opened as, whatever becomes of the key
 * @param length in bytes
 */
record StoredObject(InputStream content, long length) implements Closeable {

  @Override
  public void close() throws IOException {
    content.close();
  }
}
