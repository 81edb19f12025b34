/**
 * Test support for handlers: one stage without a server ({@link
 * io.asyncflow.worker.testing.StageHarness}), a whole worker with an in-memory server ({@link
 * io.asyncflow.fake.FakeFlowServer}), and a handler that executes its context as a script ({@link
 * io.asyncflow.worker.testing.ScriptedHandler}). No test framework is needed.
 */
package io.asyncflow.worker.testing;
