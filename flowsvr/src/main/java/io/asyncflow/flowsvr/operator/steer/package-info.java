/**
 * Acts that steer a single task: when it is due, how urgent it is, that its lease ends, that there
 * is another one like it.
 */
package io.asyncflow.flowsvr.operator.steer;
