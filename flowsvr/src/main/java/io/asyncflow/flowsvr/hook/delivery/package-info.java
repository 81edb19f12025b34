/**
 * Delivers events to the URLs of hooks. Each server has a {@code HookWorker} for each hook, which
 * holds the tasks of the hook's stage as any worker would, at most two at once.
 */
package io.asyncflow.flowsvr.hook.delivery;
