package io.asyncflow.seal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.StoreKey;
import io.asyncflow.api.StoredText;
import io.asyncflow.api.codec.CodecException;
import io.asyncflow.api.codec.Field;
import io.asyncflow.api.codec.Field.Kind;
import io.asyncflow.api.codec.SealedText;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class TinkCodecTest {

  private static final Field CONTEXT = Field.of(Kind.CONTEXT, "lark", "ann");
  private static final StoreKey KEY = new StoreKey("7_lark_task_1", "render", 2, "page.png");
  private static final Field OBJECT = Field.ofObject(KEY);
  private static final int MORE_THAN_A_SEGMENT = 3 << 20;

  private final SealKeys keys = SealKeys.generate();
  private final TinkCodec codec = new TinkCodec(keys);

  @Test
  void opensWhatItSealed() {
    String sealed = codec.seal(CONTEXT, "{\"iban\":\"DE02\"}");
    assertThat(sealed).startsWith(SealedText.BEGINNING).doesNotContain("iban", "DE02");
    assertThat(codec.open(CONTEXT, sealed)).isEqualTo("{\"iban\":\"DE02\"}");
  }

  @Test
  void leavesOpenWhatItDidNotSeal() {
    String other = new SealedText("vault1", 7, "QUJD", List.of()).toString();
    assertThat(codec.open(CONTEXT, "plain")).isEqualTo("plain");
    assertThat(codec.open(CONTEXT, other)).isEqualTo(other);
  }

  @Test
  void sealsTheSameTextDifferentlyEachTime() {
    assertThat(codec.seal(CONTEXT, "text")).isNotEqualTo(codec.seal(CONTEXT, "text"));
  }

  @Test
  void sealsARepeatedCallAlikeInEveryProcess() {
    Field repeated = CONTEXT.withIdempotencyKey("order-7");
    String sealed = codec.seal(repeated, "text");
    assertThat(new TinkCodec(keys).seal(repeated, "text")).isEqualTo(sealed);
    assertThat(codec.open(CONTEXT, sealed)).as("whoever opens knows no key").isEqualTo("text");
  }

  @Test
  void twoSealedTextsLookEqualOnlyIfTextAndIdempotencyKeyAre() {
    String sealed = codec.seal(CONTEXT.withIdempotencyKey("order-7"), "text");
    assertThat(codec.seal(CONTEXT.withIdempotencyKey("order-8"), "text")).isNotEqualTo(sealed);
    assertThat(codec.seal(CONTEXT.withIdempotencyKey("order-7"), "other")).isNotEqualTo(sealed);
  }

  @Test
  void opensNothingThatWasMovedElsewhere() {
    for (Field field : Arrays.asList(CONTEXT, CONTEXT.withIdempotencyKey("k"))) {
      String sealed = codec.seal(field, "text");
      for (Field elsewhere :
          Arrays.asList(
              Field.of(Kind.RESULT, "lark", "ann"),
              Field.of(Kind.CONTEXT, "mail", "ann"),
              Field.of(Kind.CONTEXT, "lark", "bob"))) {
        assertThatThrownBy(() -> codec.open(elsewhere, sealed))
            .isInstanceOf(CodecException.class)
            .hasMessageContaining("or was changed");
      }
    }
  }

  @Test
  void theCaseOfATypeDoesNotMatter() {
    String sealed = codec.seal(Field.of(Kind.CONTEXT, "LARK", "ann"), "text");
    assertThat(codec.open(CONTEXT, sealed)).isEqualTo("text");
  }

  @Test
  void opensNothingThatWasChanged() {
    String sealed = codec.seal(CONTEXT, "text");
    int inData = sealed.indexOf("\"data\":\"") + 20;
    char other = sealed.charAt(inData) == 'A' ? 'B' : 'A';
    String changed = sealed.substring(0, inData) + other + sealed.substring(inData + 1);
    assertThatThrownBy(() -> codec.open(CONTEXT, changed)).isInstanceOf(CodecException.class);
  }

  @Test
  void namesTheKeyThatIsMissing() {
    String sealed = new TinkCodec(SealKeys.generate()).seal(CONTEXT, "text");
    long key = SealedText.parse(sealed).orElseThrow().key();
    assertThatThrownBy(() -> codec.open(CONTEXT, sealed))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("key " + key)
        .hasMessageContaining("ann");
  }

  @Test
  void afterARotationNewKeysSealAndOldOnesStillOpen() throws IOException {
    TinkCodec rotated = new TinkCodec(keys.rotated());
    String before = codec.seal(CONTEXT, "text");
    String repeatable = codec.seal(CONTEXT.withIdempotencyKey("k"), "text");
    byte[] object = sealed(codec, new byte[100]);
    assertThat(rotated.open(CONTEXT, before)).isEqualTo("text");
    assertThat(rotated.open(CONTEXT, repeatable)).isEqualTo("text");
    assertThat(opened(rotated, OBJECT, object)).hasSize(100);
    assertThat(keyOf(rotated.seal(CONTEXT, "text"))).isNotEqualTo(keyOf(before));
    assertThatThrownBy(() -> codec.open(CONTEXT, rotated.seal(CONTEXT, "text")))
        .isInstanceOf(CodecException.class);
  }

  private static long keyOf(String sealed) {
    return SealedText.parse(sealed).orElseThrow().key();
  }

  @Test
  void aTextOfThreeThousandBytesStaysInItsRow() {
    String sealed = codec.seal(CONTEXT, "x".repeat(3_000));
    assertThat(sealed.length()).isLessThanOrEqualTo(StoredText.MOST_BYTES_IN_A_ROW);
  }

  @Test
  void showsTheObjectsThatATextNames() {
    String sealed = codec.seal(CONTEXT, "{\"picture\":\"" + KEY.reference() + "\"}");
    assertThat(SealedText.parse(sealed).orElseThrow().objects()).containsExactly(KEY);
    assertThat(sealed).contains(KEY.toString());
  }

  @Test
  void opensObjectsThatItSealed() throws IOException {
    byte[] large = new byte[MORE_THAN_A_SEGMENT];
    Arrays.fill(large, (byte) 'x');
    byte[] sealed = sealed(codec, large);
    assertThat(new String(sealed, StandardCharsets.ISO_8859_1))
        .startsWith(SealedText.BEGINNING)
        .doesNotContain("xxxxxxxx");
    assertThat(opened(codec, OBJECT, sealed)).isEqualTo(large);
    assertThat(opened(codec, OBJECT, sealed(codec, new byte[0]))).isEmpty();
  }

  @Test
  void leavesObjectsOpenThatItDidNotSeal() throws IOException {
    assertThat(opened(codec, OBJECT, new byte[0])).isEmpty();
    assertThat(opened(codec, OBJECT, new byte[] {1, 2, 3})).containsExactly(1, 2, 3);
    byte[] text = codec.seal(CONTEXT, "text").getBytes(StandardCharsets.UTF_8);
    assertThat(opened(codec, OBJECT, text)).as("a text in the store").isEqualTo(text);
  }

  @Test
  void anObjectUnderAnotherKeyOrCutOffThrows() throws IOException {
    byte[] sealed = sealed(codec, new byte[MORE_THAN_A_SEGMENT]);
    Field other = Field.ofObject(new StoreKey("7_lark_task_1", "render", 3, "page.png"));
    assertThatThrownBy(() -> opened(codec, other, sealed)).isInstanceOf(IOException.class);
    byte[] cut = Arrays.copyOf(sealed, 2 << 20);
    assertThatThrownBy(() -> opened(codec, OBJECT, cut)).isInstanceOf(IOException.class);
  }

  private static byte[] sealed(TinkCodec codec, byte[] object) throws IOException {
    ByteArrayOutputStream sealed = new ByteArrayOutputStream();
    try (OutputStream out = codec.sealing(OBJECT, sealed)) {
      out.write(object);
    }
    return sealed.toByteArray();
  }

  private static byte[] opened(TinkCodec codec, Field field, byte[] sealed) throws IOException {
    return codec.opening(field, new ByteArrayInputStream(sealed)).readAllBytes();
  }
}
