package io.asyncflow.api.key;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Set;

/**
 * An access key, without its secret.
 *
 * @param types {@code *} alone for all, as with the other lists
 * @param workerPrefix empty for any
 * @param createdBy the principal that made it
 * @param createTime epoch ms
 * @param expireTime epoch ms
 * @param revokeTime epoch ms; {@code null} if it is not revoked
 * @param revokeReason {@code null} if it is not revoked
 * @param replacedBy the id of the key that a rotation made; {@code null} if there was none
 * @param lastUsedTime epoch ms, at most two minutes old; {@code null} if it was never used
 * @param rateLimit requests a second and server; {@code null} for no limit
 * @param certSan the URI or DNS name that the certificate of its client must have; {@code null} if
 *     it needs none
 * @param notBefore epoch ms, before which it is not live; {@code null} if it was live at once
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ListedKey(
    String keyId,
    String name,
    Set<String> roles,
    List<String> types,
    List<String> stages,
    List<String> users,
    String workerPrefix,
    String createdBy,
    long createTime,
    long expireTime,
    Long revokeTime,
    String revokeReason,
    String replacedBy,
    Long lastUsedTime,
    KeyState state,
    Integer rateLimit,
    String certSan,
    Long notBefore) {}
