// @ts-check
// Saves a preference when it is chosen; without this script, with the button below.

for (const choice of document.querySelectorAll('form.settings select[id^="p-"]')) {
  choice.addEventListener('change', () => /** @type {HTMLSelectElement} */ (choice).form?.requestSubmit());
}
