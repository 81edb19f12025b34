// @ts-check
// Looks for news of an open page and patches its regions. A region is an element with data-live, which may
// be the seconds that it takes between two looks at least; its children with data-key are its rows. Only what the server sends differently is touched, and never
// what has the focus, an open form, a selection, or a sound that plays.

import { learnClock, start, word } from './times.js';

// What answers a form is not asked for again by a reload, which would send the form again.
const opened = document.querySelector('[data-opened-by]')?.getAttribute('data-opened-by');
if (opened) history.replaceState(null, '', opened);

const root = document.documentElement.dataset;
const state = document.getElementById('live');
const words = document.getElementById('words')?.dataset ?? {};
const regions = [...document.querySelectorAll('[data-live]')];
const atLeast = Math.max(0, ...regions.map((region) => Number(region.getAttribute('data-live')) || 0));
const every = root.refresh === '0' ? 0 : Math.max(Number(root.refresh), atLeast) * 1000;
const FLASH_MS = 1300;

/** What the server sent of each element: a script rewords its times. @type {WeakMap<Element, string>} */
const sent = new WeakMap();
regions.forEach(remember);
start();

const policy = /** @type {any} */ (window).trustedTypes?.createPolicy('asyncflow', {
  createHTML: (/** @type {string} */ html) => html, // for an inert document alone
});

let etag = ''; // of what is shown; empty while it is not all that was sent
let isFirst = true;
let isPaused = false;
let lostSince = '';
let logIn = ''; // where the session begins again; empty while it goes on
/** @type {Map<Element, Element>} rows that came while the list was read */
const waiting = new Map();

/** @param {Element} region */
function remember(region) {
  sent.set(region, region.innerHTML);
  for (const row of region.querySelectorAll(':scope > [data-key]')) sent.set(row, row.outerHTML);
}

function show() {
  if (!state || regions.length === 0 && !document.querySelector('main .list')) return; // nothing ever changes
  const kind = logIn ? 'ended' : every === 0 || regions.length === 0 ? 'off' : lostSince ? 'lost' : isPaused ? 'paused' : 'on';
  state.dataset.state = kind;
  const text = (state.dataset[kind] ?? '').replace('{0}', lostSince);
  if (state.textContent !== text) state.textContent = text;
  if (logIn) state.title = ''; // it pauses nothing any more
}

/** @param {Element} element */
function isInUse(element) {
  const selection = getSelection();
  return element.contains(document.activeElement) && document.activeElement !== document.body
    || element.querySelector('details.act[open], details.act[data-asked], dialog[open]') !== null
    || [...element.querySelectorAll('audio')].some((sound) => !sound.paused)
    || !!selection && !selection.isCollapsed && selection.containsNode(element, true);
}

/** @param {Element} old @param {Element} fresh */
function replace(old, fresh) {
  const source = fresh.outerHTML;
  const row = /** @type {Element} */ (document.importNode(fresh, true));
  if (old.classList.contains('here')) row.classList.add('here');
  const opened = [...old.querySelectorAll('details')].map((each) => each.open);
  row.querySelectorAll('details').forEach((each, i) => { if (i < opened.length) each.open = opened[i]; });
  old.replaceWith(row);
  sent.set(row, source);
  word(row);
}

/**
 * @param {Element} region @param {Element} fresh
 * @returns {boolean} whether all of it is shown now; otherwise something was in use and stayed as it was
 */
function patch(region, fresh) {
  const rows = new Map([...region.querySelectorAll(':scope > [data-key]')].map((row) => [row.getAttribute('data-key'), row]));
  const keyed = [...fresh.querySelectorAll(':scope > [data-key]')];
  if (rows.size === 0 && keyed.length === 0) {
    if (sent.get(region) === fresh.innerHTML) return true;
    if (isInUse(region)) return false;
    sent.set(region, fresh.innerHTML);
    region.replaceChildren(.../** @type {Element} */ (document.importNode(fresh, true)).childNodes);
    word(region);
    return true;
  }
  let isWhole = true;
  /** @type {Element | null} */
  let before = null;
  for (const row of keyed) {
    const old = rows.get(row.getAttribute('data-key'));
    rows.delete(row.getAttribute('data-key'));
    if (old) {
      const isNew = sent.get(old) !== row.outerHTML;
      if (isNew && isInUse(old)) isWhole = false;
      if (isNew && !isInUse(old)) {
        replace(old, row);
        before = region.querySelector(`:scope > [data-key="${CSS.escape(row.getAttribute('data-key') ?? '')}"]`);
      } else {
        before = old;
      }
    } else {
      const added = /** @type {Element} */ (document.importNode(row, true));
      sent.set(added, row.outerHTML);
      if (before) before.after(added); else region.prepend(added);
      word(added);
      if (scrollY > 200) { // it would move what is being read
        added.setAttribute('hidden', '');
        waiting.set(added, region);
      } else {
        added.classList.add('new');
        setTimeout(() => added.classList.remove('new'), FLASH_MS);
      }
      before = added;
    }
  }
  for (const gone of rows.values()) {
    if (isInUse(gone)) isWhole = false; else gone.remove();
  }
  offerWaiting();
  return isWhole;
}

function offerWaiting() {
  for (const row of waiting.keys()) if (!row.isConnected) waiting.delete(row);
  document.querySelector('.newer')?.remove();
  const region = waiting.values().next().value;
  if (!region) return;
  const button = document.createElement('button');
  button.className = 'newer';
  button.textContent = (words.newer ?? '').split('|').at(waiting.size === 1 ? 0 : -1)?.replace('{0}', String(waiting.size)) ?? '';
  button.onclick = () => {
    for (const row of waiting.keys()) row.removeAttribute('hidden');
    waiting.clear();
    button.remove();
  };
  (region.closest('.scroll') ?? region).before(button);
}

/** Asks for this page: nobody's doing, and led to the log-in as a person is. @param {HeadersInit} more */
function ask(more) {
  return fetch(location.href, {
    cache: 'no-store',
    headers: { Accept: 'text/html', 'X-Asyncflow-Live': '1', ...more },
    signal: AbortSignal.timeout(10000),
  });
}

/** Whether something would be lost that was chosen, typed or played here. */
function isWorkedOn() {
  const fields = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('input, textarea'));
  const lists = /** @type {NodeListOf<HTMLSelectElement>} */ (document.querySelectorAll('select'));
  return document.querySelector('dialog[open], details.act[open]') !== null
    || [...document.querySelectorAll('audio')].some((sound) => !sound.paused)
    || [...lists].some((list) => list.selectedIndex !== Math.max(0, [...list.options].findIndex((option) => option.defaultSelected)))
    || !!document.activeElement?.matches('input, textarea, select')
    || [...fields].some((field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked);
}

async function look() {
  try {
    const answer = await ask(etag ? { 'If-None-Match': etag } : {});
    learnClock(answer.headers.get('Date'));
    if (answer.redirected) {
      const isEnd = new URL(answer.url).pathname.endsWith('/login'); // else the page is elsewhere now
      if (!isWorkedOn()) location.reload(); else if (isEnd) logIn = answer.url; else lostSince = '';
      return;
    }
    if (answer.status === 200) {
      let isWhole = true;
      const html = await answer.text();
      const fresh = new DOMParser().parseFromString(policy ? policy.createHTML(html) : html, 'text/html');
      for (const region of regions) {
        const same = fresh.getElementById(region.id);
        if (same && region.isConnected && !patch(region, same)) isWhole = false;
      }
      etag = isWhole ? answer.headers.get('ETag') ?? '' : '';
      if (isFirst) word(document);
      isFirst = false;
    } else if (answer.status !== 304) {
      throw new Error(String(answer.status));
    }
    lostSince = '';
  } catch {
    lostSince ||= new Date().toLocaleTimeString();
  }
}

async function run() {
  for (;;) {
    show();
    if (logIn) return;
    await new Promise((done) => setTimeout(done, lostSince ? Math.max(every, 2000) : every));
    if (!isPaused && !document.hidden) await look();
  }
}

/** Stops looking for news, or starts again. */
export function togglePause() {
  isPaused = !isPaused;
  show();
}

/** Asks for what there was no answer to, and shows it once there is one. */
async function askAgain() {
  for (;;) {
    await new Promise((done) => setTimeout(done, 2000));
    const answer = document.hidden ? null : await ask({}).catch(() => null);
    if (answer && answer.status !== 429 && answer.status !== 503) return location.reload();
  }
}

if (document.querySelector('[data-again]')) askAgain();
if (every > 0 && regions.length > 0) {
  state?.addEventListener('click', () => { if (logIn) location.assign(logIn); else togglePause(); });
  run();
} else {
  if (state instanceof HTMLButtonElement) state.disabled = true;
  show();
}
