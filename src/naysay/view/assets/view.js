"use strict";
(() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const text = (row) => row.textContent.toLowerCase();

  // Tables that are sorted and filtered here: the address keeps their state.
  const listings = all("form[data-for]").map((form) => {
    const table = () => document.getElementById(form.dataset.for);
    const controls = () => all("input, select", form);
    const output = form.querySelector("output"), more = document.querySelector(`.more[data-of="${form.dataset.for}"]`);
    const state = () => new URLSearchParams(location.search);

    function apply() {
      const params = state(), body = table().tBodies[0], rows = [...body.rows];
      for (const one of controls()) if (document.activeElement !== one) one.value = params.get(one.name) || "";
      const suite = params.get("suite") || "";
      for (const cell of all("[data-column]", table())) cell.hidden = Boolean(suite) && cell.dataset.column !== suite;
      let shown = 0;
      for (const row of rows) {
        const fits = controls().every(({ name }) => {
          const value = params.get(name) || "";
          if (!value) return true;
          if (name === "q") return text(row).includes(value.toLowerCase());
          const own = row.dataset[name] || "";
          return own === value || (["language", "suite"].includes(name) && own.split(" ").includes(value));
        });
        row.hidden = !fits;
        shown += fits;
      }
      const key = params.get("sort") || "", down = params.get("order") === "down";
      const heads = [...table().tHead.rows[0].cells], place = heads.findIndex((head) => head.dataset.key === key);
      for (const head of heads) head.removeAttribute("aria-sort");
      rows.forEach((row, k) => { row.dataset.first ??= String(k); });
      const first = (row) => Number(row.dataset.first);
      if (place >= 0) {
        heads[place].setAttribute("aria-sort", down ? "descending" : "ascending");
        const value = (row) => row.cells[place].dataset.value;
        const number = rows.every((row) => value(row) === undefined || value(row) === "" || !Number.isNaN(Number(value(row))));
        rows.sort((one, two) => {
          const [a, b] = [value(one), value(two)];
          if (a === undefined || b === undefined) return (a === undefined) - (b === undefined) || first(one) - first(two);
          const order = number ? Number(a) - Number(b) : a.localeCompare(b, "en");
          return (down ? -order : order) || first(one) - first(two);
        });
      } else rows.sort((one, two) => first(one) - first(two));
      // Of a long list only the beginning is shown, until more is wanted.
      const most = Number(table().dataset.most) || Infinity, fitting = rows.filter((row) => !row.hidden);
      const short = fitting.length > most && !params.has("all");
      if (short) for (const row of fitting.slice(most)) row.hidden = true;
      if (more) {
        more.hidden = !short;
        more.textContent = `Show all ${fitting.length}`;
      }
      body.append(...rows);
      output.textContent = `${shown} of ${rows.length}`;
    }

    function go(changes, replace) {
      const params = state();
      for (const [name, value] of Object.entries(changes)) value ? params.set(name, value) : params.delete(name);
      const address = `${location.pathname}${params.size ? `?${params}` : ""}${location.hash}`;
      history[replace ? "replaceState" : "pushState"](null, "", address);
      apply();
    }

    form.addEventListener("input", ({ target }) => go({ [target.name]: target.value }, target.type === "search"));
    form.addEventListener("submit", (event) => event.preventDefault());
    document.addEventListener("click", ({ target }) => {
      const button = target.closest(".sort");
      if (!button || !table().contains(button)) return;
      const { key } = button.closest("th").dataset, params = state();
      // First as one expects: names from a, figures from the best; then the other way; then not at all.
      const { column, wanted } = button.closest("th").dataset;
      const begin = column && wanted !== "low" ? "down" : "up", other = begin === "up" ? "down" : "up";
      const now = params.get("sort") === key ? params.get("order") || "up" : "";
      go(now === "" ? { sort: key, order: begin } : now === begin ? { sort: key, order: other } : { sort: "", order: "" });
    });
    more?.addEventListener("click", () => go({ all: "1" }));
    addEventListener("popstate", apply);
    form.hidden = false;
    apply();
    return apply;
  });

  // Forms that the server answers are sent as soon as something is chosen, without what is empty.
  for (const form of all("form[data-submit]")) {
    form.addEventListener("change", ({ target }) => { if (target.matches("select, input[list]")) form.requestSubmit(); });
    form.addEventListener("submit", () => {
      for (const one of all("input, select", form)) if (!one.value) one.disabled = true;
    });
    addEventListener("pageshow", () => { for (const one of all("input, select", form)) one.disabled = false; });
  }

  // Keys, unless one is typing.
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, pre, .scroll[tabindex]")) return;
    const follow = (selector) => document.querySelector(selector)?.click();
    const doors = all("nav.app a");
    if (event.key === "/") {
      const search = document.querySelector("input[type=search]:not([hidden])");
      if (search) { event.preventDefault(); search.focus(); search.select(); }
    } else if (event.key === "ArrowLeft") follow("a[rel=prev]");
    else if (event.key === "ArrowRight") follow("a[rel=next]");
    else if (event.key === "g") doors[0]?.click();
    else if (event.key === "r") doors[1]?.click();
    else if (event.key === "t") doors[3]?.click();
  });
  for (const keys of all(".keys")) keys.hidden = false;

  // What is being written or judged is asked for again until it stands still.
  const wait = (seconds) => new Promise((go) => setTimeout(go, 1000 * seconds));
  async function watch() {
    while (document.body.dataset.live) {
      await wait(1.5);
      if (document.hidden) continue;
      let found;
      try {
        const answer = await fetch(location.href, { headers: { "X-Stamp": document.body.dataset.live } });
        if (answer.status === 204) continue;
        found = new DOMParser().parseFromString(await answer.text(), "text/html");
      } catch { continue; } // the server may be back later
      if (found.getElementById("charts")) return location.reload();
      for (const fresh of all("[data-fresh]", found)) {
        const old = document.getElementById(fresh.id);
        if (old && !old.contains(document.activeElement)) old.replaceWith(document.adoptNode(fresh));
      }
      if (found.body.dataset.live) document.body.dataset.live = found.body.dataset.live;
      else delete document.body.dataset.live;
      for (const apply of listings) apply();
    }
  }
  window.naysayWatch = watch();

  window.naysayPost = async (address, question, signal) => {
    const answer = await fetch(address, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question), signal,
    });
    return answer.json();
  };

  // Asking a run's model again about one item.
  for (const again of all(".again")) {
    const button = again.querySelector("button"), status = again.querySelector("[role=status]");
    again.hidden = false;
    button.addEventListener("click", async () => {
      button.disabled = true;
      status.textContent = "loading the model, then asking";
      const { again: model, run, suite, file, row, left, right } = again.dataset;
      try {
        const reply = await naysayPost("/try/again", { client: "item", model, run, suite, file, row: Number(row), left, right });
        status.textContent = reply.problem || "";
        if (reply.html) {
          const made = new DOMParser().parseFromString(reply.html, "text/html");
          document.getElementById("pair").replaceChildren(...made.body.childNodes);
        }
      } catch { status.textContent = "the server does not answer"; }
      button.disabled = false;
    });
  }
})();
