/**
 * What a developer needs to run stages of tasks: {@link io.asyncflow.worker.StageHandler} to write,
 * {@link io.asyncflow.worker.Worker} to start.
 *
 * <pre>{@code
 * Worker worker = Worker.builder()
 *     .url("http://127.0.0.1:8081")
 *     .handler("lark", "sendmsg", context -> StageResult.done())
 *     .build();
 * worker.start();
 * }</pre>
 *
 * <p>With Spring Boot there is nothing to start: beans marked with {@link
 * io.asyncflow.worker.Stage} are found, and {@code asyncflow.worker.*} configures the worker.
 */
package io.asyncflow.worker;
