package io.asyncflow.api.key;

/**
 * A session that has begun; the answer's cookie carries it.
 *
 * @param principal the caller that logged in, as records name it
 * @param csrfToken what requests with the cookie send as {@code X-XSRF-TOKEN} if they change
 *     something
 * @param expireTime epoch ms at which it ends; it ends earlier if it is not used for half an hour
 */
public record BegunSession(String principal, String csrfToken, long expireTime) {}
