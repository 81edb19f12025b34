package io.asyncflow.seal;

import com.google.crypto.tink.Aead;
import com.google.crypto.tink.DeterministicAead;
import com.google.crypto.tink.StreamingAead;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.codec.CodecException;
import io.asyncflow.api.codec.Field;
import io.asyncflow.api.codec.PayloadCodec;
import io.asyncflow.api.codec.SealedText;
import io.asyncflow.seal.SealKeys.Use;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;

/**
 * Seals with AES-256: texts in GCM, texts of calls that may be repeated in SIV, objects in GCM by
 * segments of 1 MiB, which need not be in memory as a whole.
 *
 * <p>What is sealed is bound to its field as associated data ({@code asyncflow/1|kind|type|owner}).
 * In SIV, a digest of the idempotency key is sealed together with the text: two sealed texts look
 * equal only if both are equal. Thread-safe.
 */
public final class TinkCodec implements PayloadCodec {

  /** The environment variable that names the file with the keys. */
  public static final String KEYS_VARIABLE = "FLOW_SEAL_KEYSET";

  private static final String RANDOM = "tink1";
  private static final String REPEATABLE = "tink1r";

  private static final byte[] OBJECT_HEADER =
      (SealedText.BEGINNING + RANDOM + "\"}\n").getBytes(StandardCharsets.US_ASCII);

  private static final int DIGEST_BYTES = 16;

  private final SealKeys keys;
  private final Aead texts;
  private final DeterministicAead repeatable;
  private final StreamingAead objects;

  /**
   * A codec with the keys in the file that the environment variable {@value #KEYS_VARIABLE} names.
   *
   * @throws SealKeysException if there is no such file, or it cannot be used
   */
  public TinkCodec() {
    this(SealKeys.read(keysFile(System.getenv(KEYS_VARIABLE))));
  }

  /** A codec with these keys. */
  public TinkCodec(SealKeys keys) {
    this.keys = keys;
    this.texts = keys.primitive(Use.TEXTS, Aead.class);
    this.repeatable = keys.primitive(Use.REPEATABLE, DeterministicAead.class);
    this.objects = keys.primitive(Use.OBJECTS, StreamingAead.class);
  }

  private static Path keysFile(String variable) {
    if (variable == null || variable.isBlank()) {
      throw new SealKeysException(
          KEYS_VARIABLE + " must name the file with the keys, which ./asyncflow seal create makes");
    }
    return Path.of(variable.strip());
  }

  @Override
  public String seal(Field field, String text) {
    byte[] plain = text.getBytes(StandardCharsets.UTF_8);
    boolean isRepeatable = field.idempotencyKey() != null;
    byte[] sealed;
    try {
      sealed =
          isRepeatable
              ? repeatable.encryptDeterministically(
                  joined(digest(field.idempotencyKey()), plain), boundTo(field))
              : texts.encrypt(plain, boundTo(field));
    } catch (GeneralSecurityException e) {
      throw new CodecException("a text cannot be sealed", e);
    }
    return new SealedText(
            isRepeatable ? REPEATABLE : RANDOM,
            keys.primaryKey(isRepeatable ? Use.REPEATABLE : Use.TEXTS),
            Base64.getUrlEncoder().withoutPadding().encodeToString(sealed),
            StoreKey.allIn(text))
        .toString();
  }

  @Override
  public String open(Field field, String text) {
    SealedText sealed = SealedText.parse(text).orElse(null);
    if (sealed == null || !isOurs(sealed.scheme())) {
      return text;
    }
    boolean isRepeatable = sealed.scheme().equals(REPEATABLE);
    requireKey(isRepeatable ? Use.REPEATABLE : Use.TEXTS, sealed.key(), field);
    try {
      byte[] data = Base64.getUrlDecoder().decode(sealed.data());
      byte[] plain;
      if (isRepeatable) {
        byte[] withDigest = repeatable.decryptDeterministically(data, boundTo(field));
        plain = Arrays.copyOfRange(withDigest, DIGEST_BYTES, withDigest.length);
      } else {
        plain = texts.decrypt(data, boundTo(field));
      }
      return new String(plain, StandardCharsets.UTF_8);
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new CodecException("a sealed text is no " + nameOf(field) + ", or was changed", e);
    }
  }

  private static boolean isOurs(String scheme) {
    return scheme.equals(RANDOM) || scheme.equals(REPEATABLE);
  }

  private void requireKey(Use use, long key, Field field) {
    if (!keys.has(use, key)) {
      throw new CodecException(
          "the "
              + nameOf(field)
              + " is sealed by key "
              + key
              + ", which is not among the keys here");
    }
  }

  @Override
  public OutputStream sealing(Field field, OutputStream sealed) throws IOException {
    try {
      sealed.write(OBJECT_HEADER);
      return objects.newEncryptingStream(sealed, boundTo(field));
    } catch (GeneralSecurityException e) {
      throw new IOException("an object cannot be sealed", e);
    }
  }

  @Override
  public InputStream opening(Field field, InputStream sealed) throws IOException {
    BufferedInputStream in = new BufferedInputStream(sealed);
    in.mark(OBJECT_HEADER.length);
    if (!Arrays.equals(in.readNBytes(OBJECT_HEADER.length), OBJECT_HEADER)) {
      in.reset();
      return in;
    }
    try {
      return objects.newDecryptingStream(in, boundTo(field));
    } catch (GeneralSecurityException e) {
      throw new IOException("an object cannot be opened", e);
    }
  }

  private static byte[] boundTo(Field field) {
    return ("asyncflow/1|" + field.kind() + "|" + field.taskType() + "|" + field.owner())
        .getBytes(StandardCharsets.UTF_8);
  }

  private static String nameOf(Field field) {
    String kind = field.kind().name().toLowerCase(Locale.ROOT);
    return kind + " of type " + field.taskType() + " and of " + field.owner();
  }

  private static byte[] digest(String idempotencyKey) {
    try {
      byte[] whole =
          MessageDigest.getInstance("SHA-256")
              .digest(idempotencyKey.getBytes(StandardCharsets.UTF_8));
      return Arrays.copyOf(whole, DIGEST_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static byte[] joined(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
