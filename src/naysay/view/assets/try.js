"use strict";
(() => {
  const form = document.getElementById("trial"), reply = document.getElementById("reply");
  const problem = document.getElementById("problem"), note = document.getElementById("note"), versions = document.getElementById("versions");
  const loading = document.getElementById("loading"), bar = loading.querySelector("progress"), words = loading.querySelector("span");
  const fields = ["model", "language", "text", "other", "words"], switches = ["negate", "intensify"];
  const client = crypto.randomUUID();
  let asked = 0, waiting = null, stop = null;

  const make = (name, kind, ...inside) => {
    const made = document.createElement(name);
    if (kind) made.className = kind;
    made.append(...inside);
    return made;
  };
  function meter(share) {
    const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg");
    for (const [name, value] of Object.entries({ viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" })) svg.setAttribute(name, value);
    for (const width of [100, 100 * share]) {
      const rect = document.createElementNS(space, "rect");
      rect.setAttribute("width", width);
      rect.setAttribute("height", 6);
      if (width === 100 && !svg.childElementCount) rect.setAttribute("class", "rail");
      svg.append(rect);
    }
    return svg;
  }
  function line(one, long) {
    const moved = make("span", one.up === null ? "moved" : one.up ? "moved up" : "moved down", one.change);
    const inside = [make("bdi", "", one.word), meter(one.share), make("span", "n", one.shown), moved];
    return make("li", long ? "long" : "", ...inside);
  }
  function draw(found) {
    versions.className = `sides n${found.length}`;
    versions.replaceChildren(...found.map((version) => {
      const text = make("bdi");
      const first = version.words[0];
      for (const [piece, differs] of version.pieces) {
        const parts = piece.split("▢").flatMap((part, k) => k ? [first ? make("b", "said", first.word) : "▢", part] : [part]);
        text.append(...(differs ? [make("mark", "", ...parts)] : parts));
      }
      const side = make("div", "side", make("p", "top", make("span", "tag", version.label)), make("p", "text", text));
      const compared = version.words.some((one) => one.word.includes(" "));
      if (version.words.length) side.append(make("ol", compared ? "guesses tried long" : "guesses tried", ...version.words.map((one) => line(one, compared))));
      if (version.followed.length) side.append(make("p", "quiet", "Words to follow"), make("ol", "guesses tried", ...version.followed.map((one) => line(one))));
      return side;
    }));
  }

  // The address keeps the question; a link to it asks it again.
  function remember() {
    const params = new URLSearchParams();
    for (const name of fields) if (form.elements[name].value) params.set(name, form.elements[name].value);
    for (const name of switches) params.set(name, form.elements[name].checked ? "1" : "");
    history.replaceState(null, "", `${location.pathname}?${params}`);
  }
  function recall(params) {
    for (const name of fields) {
      const field = form.elements[name];
      if (params.has(name) && (field.tagName !== "SELECT" || [...field.options].some((one) => one.value === params.get(name)))) field.value = params.get(name);
    }
    for (const name of switches) if (params.has(name)) form.elements[name].checked = params.get(name) === "1";
    wording();
  }
  function wording() {
    const word = form.elements.language.selectedOptions[0]?.dataset.word || "";
    document.getElementById("degree").textContent = word || "no word of degree";
    form.elements.intensify.disabled = !word;
  }

  async function ask() {
    const number = ++asked;
    stop?.abort();
    stop = new AbortController();
    const question = { client };
    for (const name of fields) question[name] = form.elements[name].value;
    for (const name of switches) question[name] = form.elements[name].checked && !form.elements[name].disabled;
    reply.setAttribute("aria-busy", "true");
    watch(question.model, number);
    let found;
    try {
      found = await naysayPost("/try/ask", question, stop.signal);
    } catch (error) {
      if (error.name === "AbortError") return;
      found = { problem: "the server does not answer" };
    }
    if (number !== asked || found.superseded) return;
    reply.setAttribute("aria-busy", "false");
    loaded("ready");
    problem.textContent = found.problem || "";
    problem.hidden = !found.problem;
    note.textContent = found.note || "";
    draw(found.versions || []); // an answer to another question would stand below the problem
    document.body.dataset.answered = String(number);
  }
  function loaded(state, seconds) {
    const busy = state === "loading" || state === "waiting";
    bar.hidden = !busy;
    words.textContent = busy ? `loading the model${seconds ? `, ${seconds} s` : ""}` : "";
  }
  async function watch(model, number) {
    while (number === asked && reply.getAttribute("aria-busy") === "true") {
      await new Promise((go) => setTimeout(go, 400));
      if (number !== asked || reply.getAttribute("aria-busy") !== "true") return;
      try {
        const answer = await fetch(`/try/state?${new URLSearchParams({ model })}`);
        const state = await answer.json();
        if (number === asked && reply.getAttribute("aria-busy") === "true") loaded(state.state, state.seconds);
      } catch { return; }
    }
  }
  function soon(event) {
    if (event?.target?.name === "language") wording();
    clearTimeout(waiting);
    waiting = setTimeout(() => { remember(); ask(); }, event?.target?.type === "text" ? 180 : 0);
  }
  form.addEventListener("input", soon);
  form.addEventListener("submit", (event) => { event.preventDefault(); soon(); });
  for (const button of form.querySelectorAll(".ready button")) {
    button.addEventListener("click", () => {
      const { text, other, language, negate, intensify } = button.dataset;
      recall(new URLSearchParams({ text, other, language, negate, intensify, words: "" }));
      soon();
    });
  }
  recall(new URLSearchParams(location.search));
  ask();
})();
