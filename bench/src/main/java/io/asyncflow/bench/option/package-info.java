/** What the command line asks for, and the checkout that it is called in. */
package io.asyncflow.bench.option;
