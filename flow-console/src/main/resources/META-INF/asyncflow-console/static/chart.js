// @ts-check
// Tells the values of a chart below the pointer. They are read from the table beside it, which says
// the same without this script.

const SVG = 'http://www.w3.org/2000/svg';

/** @param {SVGSVGElement} svg @param {number} step */
function mark(svg, step) {
  const figure = svg.closest('figure');
  const row = figure?.querySelectorAll('tbody tr')[step];
  const said = figure?.querySelector('.said');
  if (!figure || !row || !said) return;
  let cross = svg.querySelector('.cross');
  if (!cross) {
    cross = document.createElementNS(SVG, 'path');
    cross.setAttribute('class', 'cross');
    svg.append(cross);
  }
  const { width, height } = svg.viewBox.baseVal;
  const steps = Number(svg.dataset.steps);
  cross.setAttribute('d', `M${(step + 0.5) * width / steps} 0V${height}`);
  const names = [...figure.querySelectorAll('.legend li')].map((name) => name.textContent ?? '');
  const values = [...row.querySelectorAll('td')].map((value, i) => `${names[i]} ${value.textContent}`);
  said.textContent = `${row.querySelector('time')?.textContent}: ${values.join(' · ')}`;
}

/** @param {Element} svg */
function clear(svg) {
  svg.querySelector('.cross')?.remove();
  svg.closest('figure')?.querySelector('.said')?.replaceChildren();
}

document.addEventListener('pointermove', (event) => {
  const svg = event.target instanceof Element ? event.target.closest('.plot svg') : null;
  for (const other of document.querySelectorAll('.plot svg')) if (other !== svg && other.querySelector('.cross')) clear(other);
  if (!(svg instanceof SVGSVGElement)) return;
  const box = svg.getBoundingClientRect();
  const steps = Number(svg.dataset.steps);
  mark(svg, Math.max(0, Math.min(steps - 1, Math.floor((event.clientX - box.left) / box.width * steps))));
});
