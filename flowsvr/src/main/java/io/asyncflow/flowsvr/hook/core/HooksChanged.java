package io.asyncflow.flowsvr.hook.core;

/** A caller of this server changed a hook. */
public record HooksChanged() {}
