/** Families of tables with one table a day. */
package io.asyncflow.flowsvr.system.day;
