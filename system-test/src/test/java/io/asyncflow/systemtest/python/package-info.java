/** The Python SDK of clients/python, its own tests, its README, and its workers as processes. */
package io.asyncflow.systemtest.python;
