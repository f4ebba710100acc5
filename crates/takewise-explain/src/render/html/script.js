(function (root) {
  if (!root || root.dataset.live) return;
  root.dataset.live = "1";
  var cells = Array.prototype.slice.call(root.querySelectorAll("td[data-k]")), links = {}, named = {};
  var now = root.querySelector(".tw-now"), hint = now ? now.textContent : "";
  function join(a, b) { (links[a] = links[a] || []).push(b); }
  cells.forEach(function (cell) {
    named[cell.dataset.k] = cell;
    (cell.dataset.to || "").split(" ").filter(Boolean).forEach(function (to) { join(cell.dataset.k, to); join(to, cell.dataset.k); });
  });
  function light(cell) {
    cells.forEach(function (other) { other.classList.remove("tw-lit"); });
    if (!cell) { if (now) now.textContent = hint; return; }
    cell.classList.add("tw-lit");
    (links[cell.dataset.k] || []).forEach(function (k) { if (named[k]) named[k].classList.add("tw-lit"); });
    if (now) now.textContent = cell.title;
  }
  function move(cell, key) {
    var row = cell.parentNode, rows = Array.prototype.slice.call(row.parentNode.rows), at = row.cells, k = cell.cellIndex;
    if (key === "ArrowLeft") return at[k - 1];
    if (key === "ArrowRight") return at[k + 1];
    if (key === "Home") return row.querySelector("td");
    if (key === "End") return at[at.length - 1];
    var next = rows[rows.indexOf(row) + (key === "ArrowUp" ? -1 : key === "ArrowDown" ? 1 : NaN)];
    return next && next.cells[k];
  }
  function held(event) { return event.target.closest ? event.target.closest("td[data-k]") : null; }
  root.addEventListener("mouseover", function (event) { var cell = held(event); if (cell) light(cell); });
  root.addEventListener("mouseleave", function () { light(held({ target: document.activeElement || root })); });
  root.addEventListener("focusin", function (event) {
    var cell = held(event);
    if (!cell) return;
    cell.closest("table").querySelectorAll("td[data-k]").forEach(function (other) { other.tabIndex = other === cell ? 0 : -1; });
    light(cell);
  });
  root.addEventListener("focusout", function (event) { if (held(event)) light(null); });
  root.addEventListener("keydown", function (event) {
    var cell = held(event), next = cell && !event.ctrlKey && !event.altKey && !event.metaKey && move(cell, event.key);
    if (!next || !next.dataset || !next.dataset.k) return;
    event.preventDefault();
    event.stopPropagation();
    next.focus();
  });
  var button = root.querySelector("button.tw-copy"), area = root.querySelector("textarea");
  if (button && area) {
    button.hidden = false;
    button.addEventListener("click", function () {
      area.focus();
      area.select();
      if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(area.value); else document.execCommand("copy");
      button.textContent = button.dataset.done;
    });
  }
})
