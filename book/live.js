// The button of the pages about ladders, and what it does: steps run as WebAssembly in a worker on the reader's machine, and their
// bars are drawn beside those of the record. Nothing is asked from a network: the module is text, in the page or in the script
// `live-module.js` beside this one, which pages opened as files can read, too.
(() => {
  const places = document.querySelectorAll('.ladder .live');
  if (!places.length) return;
  const folder = (document.currentScript && document.currentScript.src) || document.baseURI;
  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text) made.textContent = text;
    return made;
  };

  // In the worker: a program for WASI with arguments, a clock, standard output, and nothing else.
  const work = () => {
    onmessage = ({ data: [bytes, words] }) => {
      const begin = performance.now();
      const strings = words.map((text) => new TextEncoder().encode(text + '\0'));
      const written = ['', '', ''];
      let memory, status = 0;
      const view = () => new DataView(memory.buffer);
      const sizes = (list) => (count, size) => {
        view().setUint32(count, list.length, true);
        view().setUint32(size, list.reduce((sum, text) => sum + text.length, 0), true);
        return 0;
      };
      const put = (list) => (pointers, buffer) => {
        for (const text of list) {
          view().setUint32(pointers, buffer, true);
          new Uint8Array(memory.buffer).set(text, buffer);
          pointers += 4;
          buffer += text.length;
        }
        return 0;
      };
      const known = {
        args_sizes_get: sizes(strings), args_get: put(strings),
        environ_sizes_get: sizes([]), environ_get: put([]),
        clock_time_get: (id, precision, to) => {
          view().setBigUint64(to, BigInt(Math.round((performance.now() - begin) * 1e6)), true);
          return 0;
        },
        fd_write: (fd, vectors, count, size) => {
          let sum = 0;
          for (let i = 0; i < count; i++) {
            const at = view().getUint32(vectors + 8 * i, true), len = view().getUint32(vectors + 8 * i + 4, true);
            written[fd] += new TextDecoder().decode(new Uint8Array(memory.buffer).slice(at, at + len));
            sum += len;
          }
          view().setUint32(size, sum, true);
          return 0;
        },
        proc_exit: (code) => { status = code; throw 'exit'; },
        sched_yield: () => 0,
      };
      try {
        const module = new WebAssembly.Module(bytes), imports = {};
        const MISSING = 52;
        for (const { module: from, name } of WebAssembly.Module.imports(module)) {
          (imports[from] ??= {})[name] = known[name] ?? (() => MISSING);
        }
        const instance = new WebAssembly.Instance(module, imports);
        memory = instance.exports.memory;
        instance.exports._start();
      } catch (error) {
        if (error !== 'exit') [status, written[2]] = [1, String(error)];
      }
      postMessage({ status, output: written[1], error: written[2] });
    };
  };

  let program;
  const loaded = () => program ??= new Promise((resolve, reject) => {
    if (globalThis.ABREAST_LIVE) return resolve();
    const script = element('script');
    script.src = new URL('live-module.js', folder);
    script.onload = resolve;
    script.onerror = () => reject(new Error('This copy of the page came without the module: live-module.js is not beside it.'));
    document.head.append(script);
  }).then(() => {
    const packed = Uint8Array.from(atob(globalThis.ABREAST_LIVE), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  });
  const measured = async (words) => {
    const bytes = await loaded();
    const source = URL.createObjectURL(new Blob([`(${work})()`], { type: 'text/javascript' }));
    const worker = new Worker(source);
    try {
      const { status, output, error } = await new Promise((resolve, reject) => {
        worker.onmessage = (event) => resolve(event.data);
        worker.onerror = (event) => reject(new Error(event.message || 'the worker did not start'));
        worker.postMessage([bytes, words]);
      });
      if (status) throw new Error(error.trim() || `the module ended with ${status}`);
      return new Map(output.trim().split('\n').map((line) => {
        const [name, ...cells] = line.split('\t');
        const [median, q1, q3] = cells.map(Number);
        return [name, median > 0 ? { median, noisy: (q3 - q1) / 1.35 / median > 0.1 } : undefined];
      }));
    } finally {
      worker.terminate();
      URL.revokeObjectURL(source);
    }
  };

  const times = (factor) => factor === undefined ? '–' : (factor < 10 ? factor.toFixed(2) : factor.toFixed(1)) + '×';
  const row = (className, name, factor, longest, figure) => {
    const row = element('div', 'row ' + className), bar = element('span', 'bar'), fill = element('span');
    fill.style.width = 100 * (factor ?? 0) / longest + '%';
    bar.append(fill);
    row.append(element('span', 'name', name), bar, element('b', '', figure));
    return row;
  };
  const draw = (steps, here, rows) => {
    const first = here.get(steps[0][0]);
    const factors = steps.map(([name, record]) => {
      const step = here.get(name);
      return { name, record: record ?? undefined, step, factor: step && first && first.median / step.median };
    });
    const longest = Math.max(1, ...factors.flatMap(({ record, factor }) => [record ?? 0, factor ?? 0]));
    rows.replaceChildren(...factors.map(({ name, record, step, factor }) => {
      const item = element('li', step && step.noisy ? 'noisy' : '');
      item.append(row('record', name, record, longest, times(record)));
      item.append(row('here', step ? '' : 'not in WebAssembly', factor, longest, times(factor)));
      return item;
    }));
    return [first, factors.filter(({ step }) => step), factors.filter(({ step }) => step && step.noisy)];
  };

  for (const place of places) {
    const { ladder, workload } = place.dataset, steps = JSON.parse(place.dataset.steps);
    const button = element('button', '', 'Measure in this browser'), told = element('p', 'soft'), rows = element('ol', 'rows plain');
    button.type = 'button';
    told.setAttribute('role', 'status');
    button.onclick = async () => {
      button.disabled = true;
      place.dataset.state = 'running';
      told.textContent = `Measuring on this machine, about ${Math.ceil(1 + steps.length / 3)} seconds.`;
      try {
        const [first, ran, noisy] = draw(steps, await measured(['live', ladder, workload]), rows);
        told.textContent = `${ran.length} of ${steps.length} steps ran here; each output was compared with the reference. The first step takes ` +
          `${first.median.toPrecision(3)} ns a byte. Upper bars: the record. Lower bars: this browser.` +
          (noisy.length ? ` ${noisy.length} of the steps scatter by more than 10 %: their bars are hollow. Measure again.` : '');
        place.dataset.state = 'done';
      } catch (error) {
        told.textContent = error.message;
        place.dataset.state = 'failed';
      }
      button.disabled = false;
    };
    place.append(button, told, rows);
    place.hidden = false;
  }
})();
