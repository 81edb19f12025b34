/**
 * The calls about access keys: to make, list, rotate and revoke them. How a server knows the key of
 * a request is in {@code access.key}.
 *
 * <p>Nobody gives away what he has not: a caller makes only keys whose verbs and scope it has
 * itself, and keys beyond its own scope do not exist for it.
 */
package io.asyncflow.flowsvr.edge.key;
