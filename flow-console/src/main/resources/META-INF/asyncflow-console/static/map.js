// @ts-check
// Moves a cursor over the map of a job, by the arrows or the pointer, and says which child it is
// on. The map stays one picture; the only cell that is an element is the one under the cursor.

const map = document.querySelector('div.map');
const COLUMNS = 100;
const SIZE = 10;
const SVG = 'http://www.w3.org/2000/svg';

if (map instanceof HTMLElement) {
  const words = map.dataset;
  const live = /** @type {HTMLElement} */ (document.getElementById('map'));
  const picture = () => /** @type {SVGElement} */ (live.querySelector('svg'));
  const cells = () => picture().dataset.map ?? '';
  let at = 0;

  const cursor = document.createElementNS(SVG, 'svg');
  const mark = document.createElementNS(SVG, 'rect');
  cursor.setAttribute('class', 'cursor');
  cursor.setAttribute('aria-hidden', 'true');
  mark.setAttribute('width', '9');
  mark.setAttribute('height', '9');
  cursor.append(mark);
  const row = document.createElement('div');
  const cell = document.createElement('div');
  row.setAttribute('role', 'row');
  cell.setAttribute('role', 'gridcell');
  cell.id = 'map-cell';
  row.append(cell);
  map.append(cursor, row);
  map.tabIndex = 0;
  map.setAttribute('role', 'grid');
  map.setAttribute('aria-label', words.name ?? '');
  map.setAttribute('aria-activedescendant', cell.id);
  map.setAttribute('aria-colcount', String(COLUMNS));

  const show = () => {
    const all = cells();
    at = Math.max(0, Math.min(at, all.length - 1));
    const each = Number(picture().dataset.each);
    const first = at * each;
    const last = Math.min(first + each, Number(picture().dataset.total)) - 1;
    const word = (all[at] === '-' ? words.gone : words[all[at]]) ?? '';
    const percent = (picture().dataset.progress ?? '').split(',').find((one) => one.startsWith(`${first}:`))?.split(':')[1];
    const text = (each > 1 ? words.many : words.one) ?? '';
    cell.textContent = text.replace('{0}', String(first)).replace('{1}', String(last)).replace('{2}', percent ? `${word}, ${percent} %` : word);
    cell.setAttribute('aria-colindex', String(at % COLUMNS + 1));
    row.setAttribute('aria-rowindex', String(Math.floor(at / COLUMNS) + 1));
    map.setAttribute('aria-rowcount', String(Math.ceil(all.length / COLUMNS)));
    cursor.setAttribute('viewBox', picture().getAttribute('viewBox') ?? '');
    mark.setAttribute('x', String(at % COLUMNS * SIZE));
    mark.setAttribute('y', String(Math.floor(at / COLUMNS) * SIZE + 0.5));
  };
  const open = () => {
    if (cells()[at] !== '-') location.href = words.url + String(at * Number(picture().dataset.each));
  };
  /** @param {MouseEvent} event @returns {number} the cell under the pointer, or -1 */
  const under = (event) => {
    const box = live.getBoundingClientRect();
    const x = Math.floor((event.clientX - box.left) / box.width * COLUMNS);
    const y = Math.floor((event.clientY - box.top) / box.width * COLUMNS);
    const found = y * COLUMNS + x;
    return x >= 0 && x < COLUMNS && y >= 0 && found < cells().length ? found : -1;
  };

  map.addEventListener('keydown', (event) => {
    /** @type {Record<string, number>} */
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS, PageDown: 10 * COLUMNS, PageUp: -10 * COLUMNS, Home: -at, End: cells().length - 1 - at };
    if (event.key === 'Enter') {
      open();
    } else if (event.key in steps) {
      const next = at + steps[event.key];
      if (next >= 0 && next < cells().length) at = next;
      show();
    } else {
      return;
    }
    event.preventDefault();
  });
  live.addEventListener('mousemove', (event) => { const found = under(event); if (found >= 0 && found !== at) { at = found; show(); } });
  live.addEventListener('click', (event) => { if (under(event) >= 0) { at = under(event); open(); } });
  new MutationObserver(show).observe(live, { childList: true, subtree: true });
  show();
}
