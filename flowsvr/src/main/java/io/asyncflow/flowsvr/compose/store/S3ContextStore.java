package io.asyncflow.flowsvr.compose.store;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import io.asyncflow.flowsvr.base.system.Causes;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Stores each object in an S3 bucket under {@code {prefix}{key}}, for several servers without a
 * shared disk. Workers do not access the bucket; they use their server's HTTP API.
 *
 * <p>An upload is one stream. S3 shows an object only when it is complete, and the last bytes are
 * held back until the guard has passed, so an unguarded object never becomes visible.
 */
final class S3ContextStore implements ContextStore, AutoCloseable {

  private static final String TYPE = "application/octet-stream";

  private static final String SLASH = "/";

  /** The most keys in one answer of S3. */
  private static final int MOST_KEYS = 1_000;

  /** Sorts after the slash and before all other characters of a key. */
  private static final char AFTER_SLASH = '0';

  private final S3Client s3;
  private final String bucket;
  private final String prefix;
  private final int keys;

  /**
   * @param s3 the client, closed with the store
   * @param prefix the prefix of all keys; empty for none
   */
  S3ContextStore(S3Client s3, String bucket, String prefix) {
    this(s3, bucket, prefix, MOST_KEYS);
  }

  /**
   * @param keys the number of keys that one list request asks for
   */
  S3ContextStore(S3Client s3, String bucket, String prefix, int keys) {
    this.s3 = s3;
    this.bucket = bucket;
    this.prefix = prefix;
    this.keys = keys;
  }

  @Override
  public void put(StoreKey key, Upload upload, Runnable guard) throws IOException {
    AtomicBoolean read = new AtomicBoolean();
    RequestBody body =
        RequestBody.fromContentProvider(
            () -> {
              if (!read.compareAndSet(false, true)) {
                throw new IllegalStateException("the body of an upload can be read only once");
              }
              return upload.checked(guard);
            },
            upload.length(),
            TYPE);
    calling(() -> s3.putObject(put -> put.bucket(bucket).key(prefix + key), body));
  }

  @Override
  public Optional<StoredObject> open(StoreKey key) throws IOException {
    return calling(
        () -> {
          try {
            ResponseInputStream<GetObjectResponse> found =
                s3.getObject(get -> get.bucket(bucket).key(prefix + key));
            return Optional.of(new StoredObject(closing(found), found.response().contentLength()));
          } catch (NoSuchKeyException e) {
            return Optional.empty();
          }
        });
  }

  /** A stream that, closed before its end, aborts the connection instead of reading the rest. */
  private static InputStream closing(ResponseInputStream<GetObjectResponse> content) {
    return new FilterInputStream(content) {
      @Override
      public void close() {
        content.abort();
      }
    };
  }

  @Override
  public List<String> tasks(String after, int limit) throws IOException {
    List<String> found = new ArrayList<>();
    String from = after.isEmpty() ? null : prefix + after + AFTER_SLASH;
    String next = null;
    do {
      ListObjectsV2Request request =
          ListObjectsV2Request.builder()
              .bucket(bucket)
              .prefix(prefix)
              .delimiter(SLASH)
              .startAfter(from)
              .continuationToken(next)
              .maxKeys(Math.min(keys, limit - found.size()))
              .build();
      ListObjectsV2Response page = calling(() -> s3.listObjectsV2(request));
      for (CommonPrefix task : page.commonPrefixes()) {
        String name = task.prefix();
        found.add(name.substring(prefix.length(), name.length() - 1));
      }
      next = Boolean.TRUE.equals(page.isTruncated()) ? page.nextContinuationToken() : null;
    } while (next != null && found.size() < limit);
    // Some stores do not count common prefixes towards the limit.
    return found.size() <= limit ? found : found.subList(0, limit);
  }

  /** Each list request returns a page of keys of any tasks. */
  @Override
  public Map<String, List<Entry>> entries(List<String> taskIds) throws IOException {
    Map<String, List<Entry>> found = new HashMap<>();
    Set<String> wanted = Set.copyOf(taskIds);
    Deque<String> remaining = new ArrayDeque<>(taskIds);
    String lastListed = "";
    while (!remaining.isEmpty()) {
      String next = prefix + remaining.getFirst() + SLASH;
      String from = lastListed.compareTo(next) > 0 ? lastListed : next;
      ListObjectsV2Response page =
          calling(
              () ->
                  s3.listObjectsV2(
                      list -> list.bucket(bucket).prefix(prefix).startAfter(from).maxKeys(keys)));
      for (S3Object object : page.contents()) {
        StoreKey.parse(object.key().substring(prefix.length()))
            .filter(key -> wanted.contains(key.taskId()))
            .map(key -> new Entry(key, object.size(), object.lastModified()))
            .ifPresent(
                entry ->
                    found
                        .computeIfAbsent(entry.key().taskId(), id -> new ArrayList<>())
                        .add(entry));
        lastListed = object.key();
      }
      if (!Boolean.TRUE.equals(page.isTruncated())) {
        break;
      }
      while (!remaining.isEmpty() && isListed(remaining.getFirst(), lastListed)) {
        remaining.removeFirst();
      }
    }
    return found;
  }

  /** Whether all objects of a task sort before this key. */
  private boolean isListed(String taskId, String key) {
    String ofTask = prefix + taskId + SLASH;
    return ofTask.compareTo(key) < 0 && !key.startsWith(ofTask);
  }

  @Override
  public void delete(StoreKey key) throws IOException {
    calling(() -> s3.deleteObject(delete -> delete.bucket(bucket).key(prefix + key)));
  }

  /** Does nothing: S3 keeps no partial uploads. */
  @Override
  public Usage usage() {
    return new Usage("BUCKET", bucket + "/" + prefix, null, null, null);
  }

  @Override
  public void tidy(Instant before) {}

  /**
   * Calls S3; if the cause of a failure is a check of the upload, throws that instead of the
   * client's wrapper.
   */
  private static <T> T calling(Supplier<T> call) throws IOException {
    try {
      return call.get();
    } catch (SdkException | IllegalStateException e) {
      FlowException refusal = Causes.first(FlowException.class, e).orElse(null);
      if (refusal != null) {
        throw refusal;
      }
      throw new IOException("S3: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    s3.close();
  }

  @Override
  public String toString() {
    return "s3://" + bucket + "/" + prefix;
  }
}
