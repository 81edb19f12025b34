/**
 * For the tests of those who write handlers: one stage without any server ({@link
 * io.asyncflow.worker.testing.StageHarness}), a whole worker against a server in memory ({@link
 * io.asyncflow.worker.testing.FakeFlowServer}), and a handler that does what its context says
 * ({@link io.asyncflow.worker.testing.ScriptedHandler}). No test framework is needed.
 */
package io.asyncflow.worker.testing;
