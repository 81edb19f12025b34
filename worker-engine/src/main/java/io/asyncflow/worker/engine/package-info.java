/**
 * Stages that are run by a program of any language; docs/engines.md describes the protocols. {@link
 * io.asyncflow.worker.engine.RemoteHandler} asks an HTTP service for the result of a run. {@link
 * io.asyncflow.worker.engine.EngineHandler} keeps one process for each slot and exchanges JSON
 * lines with it:
 *
 * <pre>
 *   handler's thread ──→ writer ──→ stdin ┐
 *                                         │ process, in a group of its own
 *   handler's thread ←── queue ←── stdout ┤
 *   logger           ←──────────── stderr ┘
 * </pre>
 *
 * <p>The program may hang, flood, send wrong messages or die at any line, and may not read its
 * input. So the handler's thread never touches a pipe: it waits only for the queue, where an
 * interrupt reaches it, and all buffers are bounded. Every failure ends in one of two ways: the
 * answer is accepted, or the whole process group is killed and the next run starts a new one.
 */
package io.asyncflow.worker.engine;
