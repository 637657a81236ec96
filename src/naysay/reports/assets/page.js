"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];

  // Charts: letters and colours are the page's own, by name, so that they change with its theme.
  const source = document.getElementById("charts");
  const charts = source ? JSON.parse(source.textContent) : [];
  const hidden = new Set();
  const views = [];
  // Controls come after the real models, and are grey beside them.
  const real = source ? Number(source.dataset.real) : 0;
  const colours = Array.from({ length: 64 }, (_, k) => k < real ? `var(--s${k % 8})` : "var(--grey)");
  const text = "var(--text)", quiet = "var(--quiet)", line = "var(--line)";

  const config = (width) => ({
    background: null,
    aria: false,
    font: getComputedStyle(document.body).fontFamily,
    range: { category: colours },
    style: {
      zero: { color: quiet, strokeWidth: 1 },
      published: { color: text },
      bound: { color: quiet, strokeWidth: 1.2 },
      "bound-name": { color: quiet },
    },
    view: { stroke: null },
    legend: { disable: true },
    axis: {
      domain: false, ticks: false, gridColor: line, labelColor: quiet, labelFontSize: 12,
      labelPadding: 8, titleColor: quiet, titleFontSize: 12, titleFontWeight: "normal",
      titlePadding: 10, labelSeparation: 4,
    },
    axisY: { labelLimit: Math.max(190, Math.min(260, width * 0.4)), labelLineHeight: 14 },
    axisYBand: { labelColor: text },
  });

  async function draw() {
    for (const { id, spec } of charts) {
      await new Promise((go) => setTimeout(go)); // the page can be read and scrolled meanwhile
      const place = document.getElementById(id);
      const { view } = await vegaEmbed(place, spec, {
        renderer: "svg", actions: false, ast: true, defaultStyle: false,
        config: config(place.clientWidth), tooltip: { theme: "custom", disableDefaultStyle: true },
      });
      if ((spec.params || []).some((param) => param.name === "hidden")) views.push(view);
    }
  }
  window.naysayReady = draw();

  for (const button of all(".toggle")) {
    button.addEventListener("click", () => {
      const model = button.dataset.model;
      if (!hidden.delete(model)) hidden.add(model);
      for (const twin of all(".toggle")) {
        if (twin.dataset.model === model) twin.setAttribute("aria-pressed", !hidden.has(model));
      }
      for (const view of views) view.signal("hidden", [...hidden]).runAsync();
    });
  }

  // Light, dark, or as the system says.
  const themes = ["auto", "light", "dark"];
  const button = document.getElementById("theme");
  const remember = (theme) => {
    try {
      if (theme === undefined) return localStorage.getItem("naysay-theme");
      localStorage.setItem("naysay-theme", theme);
    } catch { /* a page from a file may not remember */ }
    return null;
  };
  function wear(theme) {
    if (theme === "auto") root.removeAttribute("data-theme");
    else root.dataset.theme = theme;
    button.querySelector("span").textContent = theme;
  }
  button.hidden = false;
  const remembered = remember();
  if (themes.includes(remembered)) wear(remembered);
  button.addEventListener("click", () => {
    const worn = button.querySelector("span").textContent;
    const next = themes[(themes.indexOf(worn) + 1) % themes.length];
    wear(next);
    remember(next);
  });

  // Examples: chosen by model and outcome, a few at a time.
  for (const box of all(".examples")) {
    const cards = all(".example", box), output = box.querySelector("output");
    const [back, on] = all("[data-step]", box), size = Number(box.dataset.size);
    let first = 0;
    const show = () => {
      const choices = all("select", box).filter((one) => one.value);
      const fits = cards.filter((card) => choices.every((one) => card.dataset[one.dataset.by] === one.value));
      first = Math.max(0, Math.min(first, Math.floor((fits.length - 1) / size) * size));
      const shown = fits.slice(first, first + size);
      for (const card of cards) card.hidden = !shown.includes(card);
      output.textContent = fits.length
        ? `${first + 1}–${first + shown.length} of ${fits.length}` : "none";
      back.disabled = first === 0;
      on.disabled = first + size >= fits.length;
    };
    for (const step of [back, on]) {
      step.addEventListener("click", () => { first += size * Number(step.dataset.step); show(); });
    }
    for (const choice of all("select", box)) {
      choice.addEventListener("change", () => { first = 0; show(); });
    }
    box.querySelector(".controls").hidden = false;
    show();
  }

  // Copying needs leave, which a page from a file may not have; then the text is only marked.
  for (const copy of all(".copy")) {
    copy.hidden = false;
    copy.addEventListener("click", async () => {
      const text = copy.parentElement.querySelector("code");
      getSelection().selectAllChildren(text);
      try {
        await navigator.clipboard.writeText(text.textContent);
        copy.firstChild.textContent = "Copied";
      } catch { copy.firstChild.textContent = "Selected"; }
    });
  }

  // What can be scrolled can be reached with the keyboard.
  const reach = () => {
    for (const box of all(".scroll")) {
      const caption = box.querySelector("caption");
      if (box.scrollWidth > box.clientWidth) {
        box.tabIndex = 0;
        box.setAttribute("role", "region");
        box.setAttribute("aria-label", caption ? caption.textContent : "Table");
      } else {
        box.removeAttribute("tabindex");
        box.removeAttribute("role");
        box.removeAttribute("aria-label");
      }
    }
  };
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
  reach();
})();
