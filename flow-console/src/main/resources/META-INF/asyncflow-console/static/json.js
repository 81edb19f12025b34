// @ts-check
// Copies ids, and folds documents.

/** Also where a page is plain HTTP, which has no clipboard. @param {string} text */
export async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

document.addEventListener('click', async (event) => { // also of buttons that come with news
  const button = event.target instanceof Element ? event.target.closest('button.copy') : null;
  if (!button) return;
  await copy(button.getAttribute('data-copy') ?? '');
  button.classList.add('done');
  setTimeout(() => button.classList.remove('done'), 1200);
});

/** Folds all documents of the page, or unfolds them. */
export function fold() {
  const all = /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll('.json details')]);
  const isOpen = all.some((each) => each.open);
  for (const each of all) each.open = !isOpen;
}
