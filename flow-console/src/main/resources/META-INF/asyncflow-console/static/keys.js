// @ts-check
// Keyboard shortcuts; none in fields, and none at all if the preferences say so.

import { copy, fold } from './json.js';
import { togglePause } from './live.js';
import { openActs } from './palette.js';

let afterG = false;

// On a phone, the places and the tabs scroll.
for (const here of document.querySelectorAll('#nav [aria-current], .tabs [aria-current]')) here.scrollIntoView({ block: 'nearest', inline: 'center' });

/** @param {number} step */
function move(step) {
  const rows = [...document.querySelectorAll('main .list tbody tr')];
  if (rows.length === 0) return;
  const now = rows.findIndex((row) => row.classList.contains('here'));
  const next = rows[Math.max(0, Math.min(rows.length - 1, now + step))];
  rows.forEach((row) => row.classList.toggle('here', row === next));
  const link = /** @type {HTMLElement | null} */ (next.querySelector('a'));
  link?.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
}

/** Opens an act of the page, or presses its button for the selected rows. @param {string} name */
function act(name) {
  const one = document.querySelector(`#act-task_${name} > summary, #act-job_${name} > summary, #list button[name=act][value=${name}]`);
  if (one instanceof HTMLElement) one.click();
}

/** @type {Record<string, () => void>} */
const KEYS = {
  '/': () => (document.getElementById('q') ?? document.getElementById('find'))?.focus(),
  '?': () => { const help = document.querySelector('footer a'); if (help instanceof HTMLElement) help.click(); },
  j: () => move(1),
  k: () => move(-1),
  x: () => document.dispatchEvent(new CustomEvent('pick', { detail: false })),
  X: () => document.dispatchEvent(new CustomEvent('pick', { detail: true })),
  r: () => act('retry'),
  c: () => act('cancel'),
  n: () => act('run_now'),
  w: () => document.getElementById('why')?.focus(),
  '.': openActs,
  e: fold,
  p: togglePause,
  y: () => { const id = document.querySelector('button.copy')?.getAttribute('data-copy'); if (id) copy(id); },
  g: () => { afterG = true; setTimeout(() => { afterG = false; }, 1500); },
};

document.addEventListener('keydown', (event) => {
  const target = event.target;
  if (document.documentElement.dataset.keys === 'off' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (target instanceof HTMLElement && target.closest('input, select, textarea, dialog')) return;
  if (afterG) {
    afterG = false;
    const place = document.querySelector(`#nav a[data-key="${CSS.escape(event.key)}"]`);
    if (place instanceof HTMLElement) { event.preventDefault(); place.click(); }
    return;
  }
  const does = KEYS[event.key];
  if (does) { event.preventDefault(); does(); }
});
