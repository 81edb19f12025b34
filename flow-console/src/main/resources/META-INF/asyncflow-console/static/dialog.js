// @ts-check
// Shows the form of an act in a dialog. Without this script it opens below its button.

const words = document.getElementById('words')?.dataset ?? {};

/** @param {HTMLDetailsElement} act */
function open(act) {
  const form = act.querySelector('form');
  const summary = /** @type {HTMLElement} */ (act.querySelector('summary'));
  if (!form) return;
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-label', form.getAttribute('aria-label') ?? summary.textContent ?? '');
  const close = document.createElement('button');
  close.type = 'button';
  close.textContent = words.close ?? '';
  close.onclick = () => dialog.close();
  const buttons = /** @type {Element} */ (form.querySelector('.buttons'));
  buttons.prepend(close);
  dialog.append(form);
  act.dataset.asked = 'yes'; // so that news leave it alone
  dialog.onclose = () => { // the form goes back to where it was, with what was typed
    close.remove();
    act.append(form);
    delete act.dataset.asked;
    dialog.remove();
    summary.focus();
  };
  dialog.onkeydown = (event) => { // one key, also one that is held down, does nothing grave
    const grave = /** @type {HTMLElement | null} */ (form.querySelector('button.grave'));
    const isTyped = event.target instanceof HTMLInputElement;
    if (event.key !== 'Enter' || event.isComposing || !grave || !isTyped && !event.repeat) return;
    event.preventDefault();
    if (isTyped) grave.focus();
  };
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
  document.body.append(dialog);
  dialog.showModal();
  /** @type {HTMLElement} */ (form.querySelector('input:not([type=hidden]), select') ?? close).focus();
}

document.addEventListener('click', (event) => {
  const summary = event.target instanceof Element ? event.target.closest('details.act > summary') : null;
  if (!summary) return;
  event.preventDefault();
  open(/** @type {HTMLDetailsElement} */ (summary.parentElement));
});
