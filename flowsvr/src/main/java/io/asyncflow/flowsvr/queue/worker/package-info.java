/** The list of workers for operators, and their draining. */
package io.asyncflow.flowsvr.queue.worker;
