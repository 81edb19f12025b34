package io.asyncflow.flowsvr.compose.hook.egress;

import java.time.Duration;
import java.util.Optional;

/**
 * What an endpoint answered.
 *
 * @param retryAfter the pause that it asks for
 * @param text the beginning of the body
 */
public record HookAnswer(int status, Optional<Duration> retryAfter, String text) {}
