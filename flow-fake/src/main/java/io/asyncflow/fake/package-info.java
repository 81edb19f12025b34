/**
 * Test support without a server: {@link io.asyncflow.fake.FakeFlowServer} is a client whose tasks,
 * jobs and schedules are in memory and obey the server's rules, under a clock that a test can move.
 * No test framework is needed.
 */
package io.asyncflow.fake;
