/** Numbers over time as shapes of SVG: pure functions, without words and colours. */
package io.asyncflow.console.chart;
