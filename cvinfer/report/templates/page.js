// What a page can do more where scripts run: sort tables, filter rows, open all. Without it nothing is missing.
document.addEventListener("DOMContentLoaded", () => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (name, text) => Object.assign(document.createElement(name), { textContent: text });

  // --- sorting: a button in each head that says how, within the groups of a table
  for (const head of all("th[data-sort]")) {
    const table = head.closest("table");
    if (all("tbody > tr[data-row]", table).length < 3 || head.rowSpan > 1) continue;
    const button = make("button", "");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sort(table, head));
  }
  function sort(table, head) {
    const up = head.getAttribute("aria-sort") !== "ascending";
    all("th[aria-sort]", table).forEach((each) => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const rows = head.closest("tr");
    const before = all("th[rowspan]", table).filter((each) => each.closest("tr") !== rows).length;
    const at = [...rows.cells].indexOf(head) + before;
    const number = head.dataset.sort === "number";
    const key = (row) => {
      const cell = row.cells[at];
      if (!cell) return number ? NaN : "";
      if (!number) return cell.textContent;
      return "value" in cell.dataset ? Number(cell.dataset.value) : parse(cell.textContent);
    };
    const compare = (one, two) => {
      const [x, y] = [key(one), key(two)];
      if (!number) return (up ? 1 : -1) * x.localeCompare(y);
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
      return (up ? 1 : -1) * (x - y);
    };
    for (const body of table.tBodies) {
      body.append(...all(":scope > tr[data-row]", body).sort(compare));
    }
  }
  const parse = (text) => parseFloat(text.replace("−", "-").replace("< ", "").replaceAll(",", ""));

  // --- filtering, where there is much to filter
  const rows = all("[data-row]");
  const main = document.querySelector("main");
  if (all(".pair").length > 6 && main) {
    const label = make("label", "Show only ");
    const input = Object.assign(document.createElement("input"), { type: "search", placeholder: "learner or data set" });
    label.append(input);
    const open = make("button", "Open all");
    open.type = "button";
    const said = make("span", "");
    said.setAttribute("role", "status");
    const bar = make("div", "");
    bar.className = "filter";
    bar.setAttribute("role", "search");
    bar.append(label, open, said);
    main.prepend(bar);
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      let shown = 0;
      for (const row of rows) {
        const fits = `${row.textContent} ${row.dataset.row}`.toLowerCase().includes(wanted);
        row.hidden = !fits;
        shown += fits && row.matches(".pair");
      }
      said.textContent = wanted ? `${shown} comparisons` : "";
    });
    open.addEventListener("click", () => {
      const closed = all("details:not([open])");
      (closed.length ? closed : all("details")).forEach((each) => (each.open = closed.length > 0));
      open.textContent = closed.length ? "Close all" : "Open all";
    });
  }

  // --- printing shows everything
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = all("details:not([open])");
    opened.forEach((each) => (each.open = true));
  });
  addEventListener("afterprint", () => opened.forEach((each) => (each.open = false)));
});
