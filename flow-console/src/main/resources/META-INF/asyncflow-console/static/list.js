// @ts-check
// Selects rows of a list: by a click, with x, and with X from the last one to here. Rows that come
// anew in place stay selected. Without this script the boxes and the buttons work all the same.

const list = document.querySelector('form#list');
const body = list?.querySelector('tbody');
const count = list?.querySelector('[data-picked]');
const all = document.getElementById('pick-all');

/** The keys of the selected rows. @type {Set<string>} */
const picked = new Set();
/** @type {Element | null} the row that was selected last */
let last = null;

/** @param {Element} row @returns {HTMLInputElement | null} */
const boxOf = (row) => row.querySelector('input[name=task]');

function show() {
  if (!list || !count) return;
  const forms = (count.getAttribute('data-picked') ?? '').split('|');
  count.textContent = (picked.size === 1 ? forms[0] : forms[forms.length - 1]).replace('{0}', String(picked.size));
  for (const button of list.querySelectorAll('button[name=act]')) /** @type {HTMLButtonElement} */ (button).disabled = picked.size === 0;
}

/** @param {Element} row @param {boolean} on */
function pick(row, on) {
  const box = boxOf(row);
  const key = row.getAttribute('data-key') ?? '';
  if (!box || row.hasAttribute('hidden')) return;
  box.checked = on;
  if (on) picked.add(key); else picked.delete(key);
}

function renew() {
  const there = new Set();
  for (const row of body?.children ?? []) {
    there.add(row.getAttribute('data-key'));
    const box = boxOf(row);
    if (box) box.checked = picked.has(row.getAttribute('data-key') ?? '');
  }
  for (const key of picked) if (!there.has(key)) picked.delete(key);
  show();
}

/** Selects the row that the keys have chosen, or leaves it out. @param {boolean} toHere from the last one on */
function toggle(toHere) {
  const row = body?.querySelector('tr.here');
  const box = row && boxOf(row);
  if (!row || !box) return;
  const rows = [...(body?.children ?? [])];
  const from = toHere && last ? rows.indexOf(last) : -1;
  if (from < 0) pick(row, !box.checked);
  else for (const each of rows.slice(Math.min(from, rows.indexOf(row)), Math.max(from, rows.indexOf(row)) + 1)) pick(each, true);
  last = row;
  show();
}

if (list && body) {
  body.addEventListener('change', (event) => {
    const row = event.target instanceof Element ? event.target.closest('tr') : null;
    const box = row && boxOf(row);
    if (row && box) { pick(row, box.checked); last = row; show(); }
  });
  document.addEventListener('pick', (event) => toggle(/** @type {CustomEvent} */ (event).detail));
  new MutationObserver(renew).observe(body, { childList: true });
  for (const row of body.children) if (boxOf(row)?.checked) picked.add(row.getAttribute('data-key') ?? '');
  const box = all?.querySelector('input');
  if (all && box) {
    all.removeAttribute('hidden');
    box.addEventListener('change', () => { for (const row of body.children) pick(row, box.checked); show(); });
  }
  show();
}
