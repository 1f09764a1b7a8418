'use strict';
// Comfort only: without this script the page says the same. Nothing here makes
// markup of text, and nothing is loaded.
(() => {
  const make = (tag, props = {}, ...children) => {
    const e = Object.assign(document.createElement(tag), props);
    e.append(...children);
    return e;
  };

  // A button beside each command.
  for (const box of document.querySelectorAll('.cmd')) {
    const text = box.querySelector('pre');
    const button = make('button', { type: 'button', textContent: 'copy', ariaLabel: 'copy the command' });
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = 'copied';
      } catch {
        getSelection().selectAllChildren(text);
        button.textContent = 'selected';
      }
    });
    box.append(button);
  }

  for (const figure of document.querySelectorAll('figure.lanes')) lanes(figure);

  function lanes(figure) {
    const scroll = figure.querySelector('.scroll');
    const svg = figure.querySelector('svg.time');
    const names = figure.querySelector('svg.names');
    const card = figure.querySelector('.card');
    const drawn = [...svg.querySelectorAll('g.lane')];
    const marks = [...svg.querySelectorAll('g.lane a')];
    const rows = [...(figure.closest('section.subject')?.querySelectorAll('.events tbody tr') ?? [])];
    const status = make('span', { className: 'note' });
    status.setAttribute('role', 'status');
    const hidden = new Set();
    let zoom = 1, only = false, wanted = '';

    // Zoom widens the picture; its percentages do the rest.
    const see = (z, at = 0.5) => {
      const before = (scroll.scrollLeft + at * scroll.clientWidth) / svg.clientWidth || 0;
      zoom = Math.min(Math.max(z, 1), 64);
      svg.style.width = zoom * 100 + '%';
      svg.classList.toggle('near', zoom >= 3);
      scroll.scrollLeft = before * svg.clientWidth - at * scroll.clientWidth;
    };
    const middle = (mark) => {
      const box = mark.getBoundingClientRect(), view = scroll.getBoundingClientRect();
      if (box.left < view.left || box.right > view.right) scroll.scrollLeft += box.left - view.left - view.width / 2;
    };
    const toT0 = () => {
      const line = svg.querySelector('.line.t0 line');
      if (line) middle(line);
    };

    // Lanes that are left close up; arrows follow their ends.
    const tops = new Map(drawn.map((g) => [g.dataset.lane, Number(/ (\d+)\)/.exec(g.getAttribute('transform'))[1])]));
    const full = Number(svg.getAttribute('height'));
    const arrows = [...svg.querySelectorAll('.arrow')].map((line) => ({ line, y1: Number(line.getAttribute('y1')), y2: Number(line.getAttribute('y2')) }));
    const layout = () => {
      const shift = new Map();
      let saved = 0;
      for (const g of drawn) {
        const lane = g.dataset.lane, gone = hidden.has(lane);
        shift.set(lane, saved);
        for (const x of [g, names.querySelector(`[data-lane="${lane}"]`)]) {
          x.setAttribute('transform', `translate(0 ${tops.get(lane) - saved})`);
          x.style.display = gone ? 'none' : '';
        }
        if (gone) saved += Number(g.dataset.height);
      }
      for (const { line, y1, y2 } of arrows) {
        const { from, to } = line.dataset;
        line.style.display = hidden.has(from) || hidden.has(to) ? 'none' : '';
        line.setAttribute('y1', y1 - shift.get(from));
        line.setAttribute('y2', y2 - shift.get(to));
      }
      for (const x of [svg, names]) x.setAttribute('height', full - saved);
    };

    const sift = () => {
      const shown = new Set();
      let count = 0;
      for (const row of rows) {
        const cited = row.className !== '';
        const fits = (!only || cited) && !hidden.has(row.dataset.lane) && row.textContent.toLowerCase().includes(wanted);
        row.hidden = !fits;
        const link = row.querySelector('a.e');
        if (fits) count++;
        if (fits && link) shown.add(link.getAttribute('href'));
      }
      for (const mark of marks) mark.classList.toggle('dim', !shown.has(mark.getAttribute('href')));
      status.textContent = count === rows.length ? '' : `${count} of ${rows.length} events`;
    };

    const button = (text, label, act) => {
      const b = make('button', { type: 'button', textContent: text, ariaLabel: label, title: label });
      b.addEventListener('click', () => act(b));
      return b;
    };
    const press = (b, on) => b.setAttribute('aria-pressed', on);
    const search = make('input', { type: 'search', placeholder: 'filter events', ariaLabel: 'filter events' });
    search.addEventListener('input', () => { wanted = search.value.trim().toLowerCase(); sift(); });
    const proof = button('only evidence', 'only what the verdict rests on', (b) => { only = !only; press(b, only); sift(); });
    proof.className = 'only';
    press(proof, false);
    proof.style.textDecoration = 'none';
    const toggles = drawn.filter((g) => g.querySelector('a')).map((g) => {
      const lane = g.dataset.lane;
      const b = button(lane, `show the lane ${lane}`, () => {
        if (!hidden.delete(lane)) hidden.add(lane);
        press(b, !hidden.has(lane));
        layout();
        sift();
      });
      press(b, true);
      return b;
    });
    const tools = make('div', { className: 'tools' },
      button('−', 'zoom out (key −)', () => see(zoom / 1.6)), button('+', 'zoom in (key +)', () => see(zoom * 1.6)),
      button('fit', 'show all (key 0)', () => see(1)), ...(svg.querySelector('.t0') ? [button('T0', 'go to T0 (key t)', toT0)] : []), search, proof, ...toggles, status);
    tools.setAttribute('role', 'group');
    tools.setAttribute('aria-label', 'timeline controls');
    figure.querySelector('figcaption').after(tools);

    // One tab stop for each lane; arrows walk within it and between lanes.
    for (const g of drawn) {
      [...g.querySelectorAll('a')].forEach((mark, i) => mark.setAttribute('tabindex', i === 0 ? 0 : -1));
    }
    const focus = (mark) => {
      if (!mark) return;
      for (const other of mark.parentNode.querySelectorAll('a')) other.setAttribute('tabindex', -1);
      mark.setAttribute('tabindex', 0);
      mark.focus({ preventScroll: true });
      middle(mark);
    };
    const walk = (mark, step) => {
      const inLane = [...mark.parentNode.querySelectorAll('a')];
      focus(inLane[inLane.indexOf(mark) + step]);
    };
    const cross = (mark, step) => {
      const open = drawn.filter((g) => !hidden.has(g.dataset.lane) && g.querySelector('a'));
      const lane = open[open.indexOf(mark.parentNode) + step];
      const x = mark.getBoundingClientRect().left;
      const far = (m) => Math.abs(m.getBoundingClientRect().left - x);
      focus(lane && [...lane.querySelectorAll('a')].reduce((a, b) => (far(b) < far(a) ? b : a)));
    };
    const cited = (from, step) => {
      const stops = marks.filter((m) => m.hasAttribute('class') && m.getAttribute('class').trim() && !hidden.has(m.parentNode.dataset.lane))
        .sort((a, b) => a.getBoundingClientRect().left - b.getBoundingClientRect().left);
      focus(stops[(stops.indexOf(from) + step + stops.length) % stops.length]);
    };
    const say = (e) => {
      const mark = e.target.closest('g.lane a');
      if (mark) card.textContent = mark.querySelector('title').textContent;
    };
    svg.addEventListener('focusin', say);
    svg.addEventListener('pointerover', say);
    figure.addEventListener('keydown', (e) => {
      if (e.target === search || e.ctrlKey || e.metaKey || e.altKey) return;
      const mark = e.target.closest('g.lane a');
      const act = {
        '+': () => see(zoom * 1.6), '=': () => see(zoom * 1.6), '-': () => see(zoom / 1.6), 0: () => see(1), t: toT0,
        n: () => cited(mark, 1), p: () => cited(mark, -1),
        ArrowRight: mark && (() => walk(mark, 1)), ArrowLeft: mark && (() => walk(mark, -1)),
        ArrowDown: mark && (() => cross(mark, 1)), ArrowUp: mark && (() => cross(mark, -1)),
      }[e.key];
      if (act) {
        e.preventDefault();
        act();
      }
    });

    scroll.addEventListener('wheel', (e) => {
      if (!e.ctrlKey) return;
      e.preventDefault();
      see(zoom * (e.deltaY < 0 ? 1.2 : 1 / 1.2), (e.clientX - scroll.getBoundingClientRect().left) / scroll.clientWidth);
    }, { passive: false });
    let drag = null;
    scroll.addEventListener('pointerdown', (e) => {
      if (e.pointerType === 'mouse' && e.button === 0 && zoom > 1) drag = { x: e.clientX, left: scroll.scrollLeft };
    });
    addEventListener('pointermove', (e) => {
      if (!drag) return;
      scroll.classList.add('held');
      scroll.scrollLeft = drag.left - (e.clientX - drag.x);
    });
    addEventListener('pointerup', () => {
      drag = null;
      scroll.classList.remove('held');
    });
    addEventListener('beforeprint', () => see(1));

    // The link of an event shows it in the lanes, too.
    const follow = () => {
      for (const mark of marks) {
        const here = location.hash !== '' && mark.getAttribute('href') === location.hash;
        mark.classList.toggle('here', here);
        if (here) middle(mark);
      }
      const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
      if (target && target.hidden) {
        search.value = wanted = '';
        only = false;
        press(proof, false);
        sift();
        target.scrollIntoView();
      }
    };
    addEventListener('hashchange', follow);
    follow();
  }
})();
