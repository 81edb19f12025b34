package io.asyncflow.api;

import java.util.List;
import java.util.Map;

/**
 * What a worker says of itself, for operators to see; nothing is decided by it.
 *
 * @param host the machine's name
 * @param sdkVersion version of the worker-sdk
 * @param stages what it has handlers for, as {@code type/stage}
 * @param labels free words about the machine
 * @param freeThreads by type: how many runs it could start
 * @param freeSlots by device: how many slots are free
 * @param states by machine: the states of its pollers, its health
 */
public record WorkerInfo(
    String host,
    String sdkVersion,
    List<String> stages,
    Map<String, String> labels,
    Map<String, Integer> freeThreads,
    Map<String, Integer> freeSlots,
    Map<String, String> states) {}
