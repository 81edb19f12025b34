// @ts-check
// Words times as ages, each second; in the browser's zone if that is asked for. The server writes
// them as absolute times, so that a page with nothing new is the same page.

const page = document.documentElement.dataset;
const words = document.getElementById('words')?.dataset ?? {};
const zone = page.zone === 'browser' ? undefined : page.zone;

/** Added to this computer's clock for the server's. */
let offset = 0;

const absolute = new Intl.DateTimeFormat('sv-SE', {
  timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit',
  hour: '2-digit', minute: '2-digit', second: '2-digit',
});

/** @param {string | null} date the Date header of an answer */
export function learnClock(date) {
  const server = date ? Date.parse(date) : NaN;
  if (Number.isFinite(server) && Math.abs(server - Date.now()) > 2000) offset = server - Date.now();
}

/** @param {number} seconds */
function inWords(seconds) {
  const unit = seconds < 60 ? 's' : seconds < 3600 ? 'm' : seconds < 86400 ? 'h' : 'd';
  const size = { s: 1, m: 60, h: 3600, d: 86400 }[unit];
  return (words[unit] ?? '').replace('{0}', String(Math.floor(seconds / size)));
}

/** @param {number} time @param {boolean} isAge without saying that it is in the past */
function age(time, isAge) {
  const seconds = Math.round((Date.now() + offset - time) / 1000);
  if (isAge) return inWords(Math.max(0, seconds));
  if (Math.abs(seconds) < 1) return words.now ?? '';
  return (seconds > 0 ? words.ago : words.in)?.replace('{0}', inWords(Math.abs(seconds))) ?? '';
}

/** Which letters of a whole time stand where there is no room for all. @type {Record<string, [number, number]>} */
const PARTS = { time: [11, 16], day: [5, 10], both: [5, 16] };

/** @param {ParentNode} root */
export function word(root) {
  for (const element of root.querySelectorAll('time[datetime]')) {
    const time = Date.parse(element.getAttribute('datetime') ?? '');
    if (!Number.isFinite(time)) continue;
    const whole = absolute.format(time);
    const part = PARTS[element.getAttribute('data-part') ?? ''];
    const isAge = element.hasAttribute('data-age');
    const isWhole = element.hasAttribute('data-date') || page.times === 'absolute' && !isAge;
    const text = part ? whole.slice(...part) : isWhole ? whole : age(time, isAge);
    if (element.textContent !== text) element.textContent = text;
    element.setAttribute('title', whole);
  }
}

/** Begins; called when it is known what the server sent. */
export function start() {
  const name = document.querySelector('[data-zone-name]');
  if (name && !zone) name.textContent = Intl.DateTimeFormat().resolvedOptions().timeZone;
  word(document);
  setInterval(() => { if (!document.hidden) word(document); }, 1000);
}
