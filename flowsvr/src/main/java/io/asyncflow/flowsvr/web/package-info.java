/**
 * How requests are read and answered: fields, envelope, errors, access. Used by every feature, uses
 * none.
 */
package io.asyncflow.flowsvr.web;
