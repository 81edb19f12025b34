package io.asyncflow.api.key;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Set;

/**
 * Whom the server takes the caller for, and what it may do.
 *
 * @param principal as records name the caller, such as {@code key:3Qm81LtzGh}
 * @param kind how the caller proved itself: {@code KEY}, {@code ENV}, {@code LOCAL}, {@code OIDC},
 *     {@code SESSION}
 * @param types {@code *} alone for all, as with the other lists
 * @param workerPrefix empty for any
 * @param expireTime epoch ms at which the access key or the session ends; {@code null} for others
 * @param csrfToken what requests with the session's cookie send as {@code X-XSRF-TOKEN} if they
 *     change something; {@code null} without a session
 * @param rateLimit requests a second and server; {@code null} for no limit
 * @param certSan the URI or DNS name that the certificate of its client must have; {@code null} if
 *     it needs none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Me(
    String principal,
    String kind,
    Set<String> roles,
    Set<String> verbs,
    List<String> types,
    List<String> stages,
    List<String> users,
    String workerPrefix,
    Long expireTime,
    String csrfToken,
    Integer rateLimit,
    String certSan) {}
