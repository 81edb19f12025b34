package io.asyncflow.flowsvr.hook;

/** A caller of this server changed a hook. */
record HooksChanged() {}
