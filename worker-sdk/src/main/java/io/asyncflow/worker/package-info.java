/**
 * The API for running stages of tasks: implement {@link io.asyncflow.worker.StageHandler}, start a
 * {@link io.asyncflow.worker.Worker}.
 *
 * <pre>{@code
 * Worker worker = Worker.builder()
 *     .url("http://127.0.0.1:8081")
 *     .handler("lark", "sendmsg", context -> StageResult.done())
 *     .build();
 * worker.start();
 * }</pre>
 *
 * <p>With Spring Boot the worker starts automatically: beans marked with {@link
 * io.asyncflow.worker.Stage} are found, and {@code asyncflow.worker.*} configures the worker.
 */
package io.asyncflow.worker;
