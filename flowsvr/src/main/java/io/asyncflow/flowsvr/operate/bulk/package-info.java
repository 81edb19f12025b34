/**
 * One act on all tasks that match a search.
 *
 * <p>A preview is a row with what was shown: the act, its arguments, the search and the time. Its
 * token starts that row, so that what starts is what was shown. The leader goes through the search
 * page by page. A page is one transaction: it locks the rows of the tasks, tests each once more,
 * does what the single call does, records the acts, and writes how far the bulk has come, if the
 * bulk is still where the page began and this leader is the last. So each task is acted on once,
 * whatever is killed.
 *
 * <p>A bulk acts in the name of its caller, whose verbs and scope are asked for anew for each page.
 */
package io.asyncflow.flowsvr.operate.bulk;
