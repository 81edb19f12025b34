// @ts-check
// Ctrl K: the pages, the acts of this page, and the way to an id.

/** @typedef {{ text: string, key: string, run: () => void }} Entry */

/** @returns {Entry[]} */
function entries() {
  /** @type {Entry[]} */
  const all = [];
  for (const link of document.querySelectorAll('#nav a')) {
    all.push({ text: link.textContent?.trim() ?? '', key: `g ${link.getAttribute('data-key')}`, run: () => /** @type {HTMLElement} */ (link).click() });
  }
  for (const act of document.querySelectorAll('details.act > summary')) {
    all.push({ text: act.textContent?.trim() ?? '', key: '', run: () => /** @type {HTMLElement} */ (act).click() });
  }
  for (const link of document.querySelectorAll('footer a, a.icon')) {
    all.push({ text: link.textContent?.trim() ?? '', key: '', run: () => /** @type {HTMLElement} */ (link).click() });
  }
  return all;
}

function open() {
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
  const all = entries();
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
    open();
  }
});
