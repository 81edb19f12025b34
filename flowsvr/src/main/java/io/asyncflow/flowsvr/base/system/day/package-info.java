/** Families of tables with one table a day. */
package io.asyncflow.flowsvr.base.system.day;
