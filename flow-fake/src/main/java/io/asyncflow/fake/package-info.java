/**
 * Test support without a server: {@link io.asyncflow.fake.FakeFlowServer} is a client whose tasks,
 * jobs and schedules are in memory and obey the server's rules, under a clock that a test can move.
 * No test framework is needed.
 *
 * <p>The parts of the server answer calls by their paths. They use each other, under the monitor of
 * the server:
 *
 * <ul>
 *   <li>{@code FakeCalls}: which part answers which call
 *   <li>{@code FakeTypes}, {@code FakeTasks} and {@code FakeTask}: what there is
 *   <li>{@code FakeCreates}: new tasks, and their keys
 *   <li>{@code FakeHolds}, {@code FakeReports}, {@code FakeObjects} and {@code FakeWorkers}: what
 *       workers do
 *   <li>{@code FakeActs} and {@code FakePauses}: what operators do
 *   <li>{@code FakeJobs} with {@code FakeTeam}, {@code FakeSchedules} with {@code FakeFires} and
 *       {@code FakeSchedule}: what makes tasks by itself
 *   <li>{@code FakeEvents}, {@code SeenCalls} and {@code FakeFaults}: what a test sees, awaits and
 *       breaks
 * </ul>
 *
 * <p>What a task may do, and what fields may hold, is decided in {@code flow-rules} alone.
 */
package io.asyncflow.fake;
