"use strict";
// The page's only script. It reads numbers and text of the page, writes text, and never makes markup of anything.
(() => {
  const byId = (id) => document.getElementById(id);
  const scrub = byId("scrub"), now = byId("now"), play = byId("play"), speed = byId("speed"), find = byId("find");
  const flow = byId("flow"), words = byId("words"), log = byId("log");
  const rows = Array.from(document.querySelectorAll("#log > li[data-at]"));
  const stamps = rows.map((row) => Number(row.dataset.at));
  const changes = Array.from(document.querySelectorAll("#log .change"));
  const marks = Array.from(document.querySelectorAll("#bands rect"));
  const start = Number(scrub.min), end = Number(scrub.max), step = 100000;
  let time = end, chosen = -1, frame = 0, drawn = 0;

  // Rows stand by their causes, and their stamps by the clock: the last row that has begun counts.
  const rowAt = (at) => {
    for (let place = rows.length - 1; place >= 0; place -= 1) {
      if (stamps[place] <= at) return place;
    }
    return -1;
  };

  // What a row says; its picture has words of its own.
  const said = (row) => row.querySelector("p").textContent;

  const showStates = () => {
    const states = new Map();
    for (const change of changes) {
      if (Number(change.dataset.row) > chosen) break;
      states.set(change.dataset.node, change);
    }
    for (const chip of document.querySelectorAll(".chip")) {
      const change = states.get(chip.id.slice("node-".length));
      chip.lastElementChild.textContent = change ? change.querySelector("title").textContent : "no state yet";
      chip.style.borderLeftColor = change
        ? getComputedStyle(change).getPropertyValue("--hue") : "";
    }
  };

  const choose = (place) => {
    if (place !== chosen) {
      if (rows[chosen]) rows[chosen].classList.remove("chosen");
      chosen = place;
      const row = rows[chosen];
      if (row) {
        row.classList.add("chosen");
        const numbers = row.dataset.records, many = /[- ]/.test(numbers) ? "s " : " ";
        words.textContent = said(row) + " (record" + many + numbers + ")";
        const above = row.offsetTop - flow.scrollTop, room = flow.clientHeight;
        if (above < byId("heads").offsetHeight || above + row.offsetHeight > room) flow.scrollTop = row.offsetTop - room / 3;
      } else {
        words.textContent = "Nothing has happened yet.";
        flow.scrollTop = 0;
      }
      showStates();
    }
  };

  const setTime = (at) => {
    time = Math.min(Math.max(at, start), end);
    scrub.value = String(time);
    now.textContent = (time / 1e6).toFixed(3) + " s";
  };
  const goTo = (at) => { setTime(at); choose(rowAt(time)); };
  const goToRow = (place) => {
    const wanted = Math.min(Math.max(place, 0), rows.length - 1);
    if (rows[wanted]) { setTime(stamps[wanted]); choose(wanted); }
  };

  const stop = () => { cancelAnimationFrame(frame); frame = 0; play.textContent = "▶ play"; };
  const tick = (at) => {
    goTo(time + (at - drawn) * 1000 * Number(speed.value));
    drawn = at;
    if (time >= end) stop(); else frame = requestAnimationFrame(tick);
  };
  const toggle = () => {
    if (frame) { stop(); return; }
    if (time >= end) goTo(start);
    play.textContent = "■ stop";
    drawn = performance.now();
    frame = requestAnimationFrame(tick);
  };

  const jump = (kind, back) => {
    const places = marks.filter((mark) => mark.classList.contains(kind)).map((mark) => Number(mark.dataset.at));
    const there = places.filter((at) => (back ? at < time : at > time));
    if (there.length > 0) goTo(back ? Math.max(...there) : Math.min(...there));
  };

  const found = (row) => said(row).toLowerCase().includes(find.value.toLowerCase());
  const look = () => rows.forEach((row) => row.classList.toggle("missed", find.value !== "" && !found(row)));
  const next = () => {
    if (find.value === "") return;
    for (let ahead = 1; ahead <= rows.length; ahead += 1) {
      const place = (chosen + ahead + rows.length) % rows.length;
      if (found(rows[place])) { goToRow(place); return; }
    }
  };

  const keys = {
    " ": toggle,
    ArrowDown: () => goToRow(chosen + 1), ArrowUp: () => goToRow(chosen - 1),
    j: () => goToRow(chosen + 1), k: () => goToRow(chosen - 1),
    ArrowRight: () => goTo(time + step), ArrowLeft: () => goTo(time - step),
    e: () => jump("election", false), E: () => jump("election", true),
    f: () => jump("fault", false), F: () => jump("fault", true),
    v: () => jump("violation", false), V: () => jump("violation", true),
    Home: () => goTo(start), End: () => goTo(end), g: () => goTo(start), G: () => goTo(end),
    "/": () => find.focus(), n: next,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target === find) {
      if (event.key === "Enter") next();
      if (event.key === "Escape") { find.value = ""; look(); find.blur(); }
      return;
    }
    if (event.target === speed || !(Object.hasOwn(keys, event.key))) return;
    event.preventDefault();
    if (event.key !== " ") stop();
    keys[event.key]();
  });
  play.addEventListener("click", () => { toggle(); play.blur(); });
  scrub.addEventListener("input", () => { stop(); goTo(Number(scrub.value)); });
  find.addEventListener("input", look);
  byId("bands").addEventListener("click", (event) => {
    if (event.target.dataset.at !== undefined) { stop(); goTo(Number(event.target.dataset.at)); }
  });
  log.addEventListener("click", (event) => {
    const place = rows.indexOf(event.target.closest("li"));
    if (place >= 0) { stop(); goToRow(place); }
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    event.preventDefault();
    stop();
    goToRow(Number(link.getAttribute("href").slice("#r".length)));
  });
  goTo(end);
})();
