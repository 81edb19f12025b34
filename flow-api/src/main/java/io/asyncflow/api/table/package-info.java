/** The tables in which the tasks of a type are kept, and the calls about them. */
package io.asyncflow.api.table;
