/**
 * Acts that steer a single task: when it is due, how urgent it is, that its lease ends, that there
 * is another one like it.
 */
@NamedInterface("steer")
package io.asyncflow.flowsvr.operator.steer;

import org.springframework.modulith.NamedInterface;
