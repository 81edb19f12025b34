// @ts-check
// Ctrl K: the pages, the acts of this page, and the way to an id. A dot: the acts alone.

const ACTS = 'details.act > summary, #list button[name=act]:enabled';

/** @typedef {{ text: string, key: string, run: () => void }} Entry */

/** @param {string} selector @param {(of: Element) => string} key @returns {Entry[]} */
function each(selector, key = () => '') {
  return [...document.querySelectorAll(selector)].map((one) => ({ text: one.textContent?.replace(/\s+/g, ' ').trim() ?? '', key: key(one), run: () => /** @type {HTMLElement} */ (one).click() }));
}

/** @param {Entry[]} all */
function open(all) {
  const find = document.getElementById('find');
  if (!(find instanceof HTMLInputElement)) return;
  const dialog = document.createElement('dialog');
  const input = document.createElement('input');
  const list = document.createElement('ul');
  dialog.className = 'palette';
  list.id = 'palette-list';
  list.setAttribute('role', 'listbox');
  input.type = 'text';
  input.setAttribute('role', 'combobox');
  input.setAttribute('aria-expanded', 'true');
  input.setAttribute('aria-controls', list.id);
  input.setAttribute('aria-label', find.placeholder);
  input.placeholder = find.placeholder;
  dialog.append(input, list);
  let chosen = 0;
  /** @type {Entry[]} */
  let fitting = [];

  const draw = () => {
    const text = input.value.trim().toLowerCase();
    fitting = all.filter((entry) => entry.text.toLowerCase().includes(text));
    if (/^[0-9]/.test(text)) fitting.unshift({ text: input.value.trim(), key: '↵', run: () => { find.value = input.value.trim(); find.form?.requestSubmit(); } });
    chosen = Math.max(0, Math.min(chosen, fitting.length - 1));
    list.replaceChildren(...fitting.map((entry, i) => {
      const item = document.createElement('li');
      item.id = `palette-${i}`;
      item.setAttribute('role', 'option');
      item.setAttribute('aria-selected', String(i === chosen));
      const name = document.createElement('span');
      name.textContent = entry.text;
      const key = document.createElement('kbd');
      key.textContent = entry.key;
      item.append(name);
      if (entry.key) item.append(key);
      item.onclick = () => { dialog.close(); entry.run(); };
      return item;
    }));
    input.setAttribute('aria-activedescendant', fitting.length ? `palette-${chosen}` : '');
    list.children[chosen]?.scrollIntoView({ block: 'nearest' });
  };

  input.oninput = () => { chosen = 0; draw(); };
  input.onkeydown = (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      chosen += event.key === 'ArrowDown' ? 1 : -1;
      draw();
    } else if (event.key === 'Enter' && fitting[chosen]) {
      event.preventDefault();
      dialog.close();
      fitting[chosen].run();
    }
  };
  dialog.onclose = () => dialog.remove();
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
  document.body.append(dialog);
  dialog.showModal();
  draw();
}

document.addEventListener('keydown', (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === 'k' && !document.querySelector('dialog[open]')) {
    event.preventDefault();
    open([...each('#nav a', (link) => `g ${link.getAttribute('data-key')}`), ...each(ACTS), ...each('footer a, a.icon')]);
  }
});

/** Lists what can be done on this page. */
export function openActs() {
  const acts = each(ACTS);
  if (acts.length > 0) open(acts);
}
