// @ts-check
// Shows the form of an act in a dialog, and asks for a second key where something is ended. Without this
// script the form opens below its button.

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
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
  document.body.append(dialog);
  dialog.showModal();
  /** @type {HTMLElement} */ (form.querySelector('input:not([type=hidden]), select') ?? close).focus();
}

// One key, also one that is held down, does nothing grave: in a dialog, and in a form that stands on a page.
document.addEventListener('keydown', (event) => {
  const form = event.target instanceof Element ? event.target.closest('form') : null;
  const grave = /** @type {HTMLElement | null | undefined} */ (form?.querySelector('button.grave'));
  const isTyped = event.target instanceof HTMLInputElement;
  if (event.key !== 'Enter' || event.isComposing || !grave || !isTyped && !event.repeat) return;
  event.preventDefault();
  if (isTyped) grave.focus();
});

document.addEventListener('click', (event) => {
  const summary = event.target instanceof Element ? event.target.closest('details.act > summary') : null;
  if (!summary) return;
  event.preventDefault();
  open(/** @type {HTMLDetailsElement} */ (summary.parentElement));
});
