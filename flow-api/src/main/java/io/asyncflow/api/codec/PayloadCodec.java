package io.asyncflow.api.codec;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * Turns texts and objects into others that flowsvr keeps in their place, and back.
 *
 * <p>flowsvr takes a text for sealed if it is a {@link SealedText}; its settings of types refer to
 * that. A codec leaves open what it did not seal: tasks that were created before it was introduced
 * go on. Implementations are thread-safe.
 */
public interface PayloadCodec {

  /**
   * Seals a text. If the field has an idempotency key, the same text gives the same result in every
   * process that has the same keys.
   *
   * @param text not empty
   */
  String seal(Field field, String text);

  /**
   * Opens a text; returns a text that this codec did not seal as it is, for the next codec of a
   * chain. {@link Sealing} refuses a text that no codec has opened.
   *
   * @throws CodecException if it cannot be opened, or belongs to another field
   */
  String open(Field field, String text);

  /**
   * Seals an object.
   *
   * @param sealed receives the sealed bytes; closed together with the returned stream
   * @return receives the bytes of the object
   */
  OutputStream sealing(Field field, OutputStream sealed) throws IOException;

  /**
   * Opens an object; returns the bytes of an object that this codec did not seal as they are.
   * Reading throws an {@link IOException} where it cannot be opened, belongs to another field, or
   * ends too early.
   *
   * @param sealed closed together with the returned stream
   */
  InputStream opening(Field field, InputStream sealed) throws IOException;

  /**
   * A codec that applies this one first, for example to compress, and {@code outer} to what it
   * gave.
   */
  default PayloadCodec then(PayloadCodec outer) {
    return new ChainedCodec(this, outer);
  }
}
