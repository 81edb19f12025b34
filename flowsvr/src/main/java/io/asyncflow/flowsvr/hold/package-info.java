/** Hold calls: requests for due tasks, which are parked without a thread until a task is due. */
package io.asyncflow.flowsvr.hold;
