/**
 * Stages that are run by a program of any language: {@link
 * io.asyncflow.worker.engine.EngineHandler} keeps one process a slot and speaks with it in JSON
 * lines; docs/engines.md has the protocol.
 *
 * <pre>
 *   handler's thread ──→ writer ──→ stdin ┐
 *                                         │ process, in a group of its own
 *   handler's thread ←── queue ←── stdout ┤
 *   logger           ←──────────── stderr ┘
 * </pre>
 *
 * <p>The program may hang, flood, lie or die at any line, and may not read what it is sent. So the
 * handler's thread never touches a pipe: it waits for the queue alone, where an interrupt reaches
 * it, and what is kept of any output is bounded. Whatever goes wrong ends in one of two ways: the
 * answer is taken, or the whole group of processes is killed and the next run starts a new one.
 */
package io.asyncflow.worker.engine;
