package io.asyncflow.api.codec;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Objects;

/** Two codecs as one. */
record ChainedCodec(PayloadCodec inner, PayloadCodec outer) implements PayloadCodec {

  ChainedCodec {
    Objects.requireNonNull(inner, "inner");
    Objects.requireNonNull(outer, "outer");
  }

  @Override
  public String seal(Field field, String text) {
    return outer.seal(field, inner.seal(field, text));
  }

  @Override
  public String open(Field field, String text) {
    return inner.open(field, outer.open(field, text));
  }

  @Override
  public OutputStream sealing(Field field, OutputStream sealed) throws IOException {
    return inner.sealing(field, outer.sealing(field, sealed));
  }

  @Override
  public InputStream opening(Field field, InputStream sealed) throws IOException {
    return inner.opening(field, outer.opening(field, sealed));
  }
}
