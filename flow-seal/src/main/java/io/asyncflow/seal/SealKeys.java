package io.asyncflow.seal;

import com.google.crypto.tink.InsecureSecretKeyAccess;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.Parameters;
import com.google.crypto.tink.RegistryConfiguration;
import com.google.crypto.tink.TinkJsonProtoKeysetFormat;
import com.google.crypto.tink.aead.AeadConfig;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import com.google.crypto.tink.daead.DeterministicAeadConfig;
import com.google.crypto.tink.daead.PredefinedDeterministicAeadParameters;
import com.google.crypto.tink.streamingaead.PredefinedStreamingAeadParameters;
import com.google.crypto.tink.streamingaead.StreamingAeadConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The keys of a codec, and the file that has them: a JSON object with one Tink keyset for each use.
 * Each keyset has a primary key, which seals; all its keys open. Immutable.
 *
 * <p>Whoever can read the file can open everything, so it is refused if others than its owner can.
 */
public final class SealKeys {

  /** What a keyset is used for. */
  enum Use {
    /** Texts. */
    TEXTS(PredefinedAeadParameters.AES256_GCM),
    /** Texts of calls that may be repeated, which the same key seals alike. */
    REPEATABLE(PredefinedDeterministicAeadParameters.AES256_SIV),
    /** Objects of the context store. */
    OBJECTS(PredefinedStreamingAeadParameters.AES256_GCM_HKDF_1MB);

    private final Parameters parameters;

    Use(Parameters parameters) {
      this.parameters = parameters;
    }

    String member() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  static {
    try {
      AeadConfig.register();
      DeterministicAeadConfig.register();
      StreamingAeadConfig.register();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Tink has no AES", e);
    }
  }

  private final Map<Use, KeysetHandle> keysets;

  private SealKeys(Map<Use, KeysetHandle> keysets) {
    this.keysets = keysets;
  }

  /** New keys. */
  public static SealKeys generate() {
    Map<Use, KeysetHandle> keysets = new EnumMap<>(Use.class);
    for (Use use : Use.values()) {
      keysets.put(use, rotated(use, KeysetHandle.newBuilder()));
    }
    return new SealKeys(keysets);
  }

  /** These keys and new ones, which seal from now on. */
  public SealKeys rotated() {
    Map<Use, KeysetHandle> rotated = new EnumMap<>(Use.class);
    keysets.forEach((use, keys) -> rotated.put(use, rotated(use, KeysetHandle.newBuilder(keys))));
    return new SealKeys(rotated);
  }

  private static KeysetHandle rotated(Use use, KeysetHandle.Builder keys) {
    try {
      return keys.addEntry(
              KeysetHandle.generateEntryFromParameters(use.parameters).withRandomId().makePrimary())
          .build();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Tink makes no keys", e);
    }
  }

  /**
   * Reads a file.
   *
   * @throws SealKeysException if there is none, others than its owner can read it, or it has no
   *     keys
   */
  public static SealKeys read(Path file) {
    try {
      requireOwnerOnly(file);
      JsonNode root = JSON.readTree(Files.readString(file));
      Map<Use, KeysetHandle> keysets = new EnumMap<>(Use.class);
      for (Use use : Use.values()) {
        String keyset = root.path(use.member()).toString();
        keysets.put(
            use, TinkJsonProtoKeysetFormat.parseKeyset(keyset, InsecureSecretKeyAccess.get()));
      }
      return new SealKeys(keysets);
    } catch (IOException e) {
      throw new SealKeysException("the file with the keys, " + file + ", cannot be read: " + e, e);
    } catch (JacksonException | GeneralSecurityException e) {
      // Without the cause, whose message may contain a part of the file.
      throw new SealKeysException(
          "the file " + file + " has no keys as ./asyncflow seal makes them");
    }
  }

  private static void requireOwnerOnly(Path file) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    if (view != null && !OWNER_ONLY.containsAll(view.readAttributes().permissions())) {
      throw new SealKeysException(
          "others than its owner can read or run the file with the keys, "
              + file
              + "; permit no more than chmod 600 does");
    }
  }

  /**
   * Writes a new file that only its owner can read.
   *
   * @throws SealKeysException if the file exists: its keys would be lost, and with them all that
   *     they have sealed
   */
  public void create(Path file) {
    try {
      Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
      Files.writeString(file, toJson(), StandardOpenOption.WRITE);
    } catch (FileAlreadyExistsException e) {
      throw new SealKeysException(file + " exists already, and its keys may be in use", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Replaces a file at once: a reader gets the old keys or the new ones. */
  public void replace(Path file) {
    Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
    try {
      Files.deleteIfExists(unfinished);
      create(unfinished);
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String toJson() throws IOException {
    ObjectNode root = JSON.createObjectNode();
    try {
      for (Map.Entry<Use, KeysetHandle> keyset : keysets.entrySet()) {
        String json =
            TinkJsonProtoKeysetFormat.serializeKeyset(
                keyset.getValue(), InsecureSecretKeyAccess.get());
        root.set(keyset.getKey().member(), JSON.readTree(json));
      }
    } catch (GeneralSecurityException e) {
      throw new IOException("the keys cannot be written", e);
    }
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n";
  }

  /** What the keys of a use do. */
  <T> T primitive(Use use, Class<T> type) {
    try {
      return keysets.get(use).getPrimitive(RegistryConfiguration.get(), type);
    } catch (GeneralSecurityException e) {
      throw new SealKeysException("the keys for " + use.member() + " are of another kind", e);
    }
  }

  /** The number of the key that seals. */
  long primaryKey(Use use) {
    return Integer.toUnsignedLong(keysets.get(use).getPrimary().getId());
  }

  /** Whether one of the keys has this number. */
  boolean has(Use use, long key) {
    KeysetHandle keys = keysets.get(use);
    for (int i = 0; i < keys.size(); i++) {
      if (Integer.toUnsignedLong(keys.getAt(i).getId()) == key) {
        return true;
      }
    }
    return false;
  }

  /** Without the keys. */
  @Override
  public String toString() {
    return "SealKeys[" + primaryKey(Use.TEXTS) + "]";
  }
}
