/**
 * Why a task does not run, and what happened to it.
 *
 * <p>{@code TaskWhy} reads what decides about the task: its row, its type, pauses, limits, the
 * workers as they last described themselves, the tasks before it, its job, the acts on it. The
 * rules are pure functions of these facts, {@code WaitingReasons} and {@code OtherReasons}; {@code
 * Cause} is the table of all reasons. Nothing is decided by what they say.
 */
package io.asyncflow.flowsvr.operate.why;
