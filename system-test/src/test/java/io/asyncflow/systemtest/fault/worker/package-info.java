/** Workers and the engines of workers that die, freeze or lie. */
package io.asyncflow.systemtest.fault.worker;
