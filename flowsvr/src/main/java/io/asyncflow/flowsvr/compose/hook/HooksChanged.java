package io.asyncflow.flowsvr.compose.hook;

/** A caller of this server changed a hook. */
record HooksChanged() {}
