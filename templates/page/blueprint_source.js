// The lower pane: the source diff of the selected function, in one or two columns. Sources are text nodes only.
import { element, makeButton } from "./dom.js";

// Rows of a hunk for two columns: removed and added lines side by side, all other lines on both sides.
function pairedLines([first, second, lines]) {
  const rows = [];
  let [before, after] = [first, second];
  let removed = [];
  let added = [];
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++) rows.push([removed[i] ?? null, added[i] ?? null]);
    removed = [];
    added = [];
  };
  for (const line of lines) {
    const text = line.slice(1);
    if (line[0] === "-") removed.push({ number: before++, text, mark: "-" });
    else if (line[0] === "+") added.push({ number: after++, text, mark: "+" });
    else {
      flush();
      rows.push([{ number: before++, text, mark: " " }, { number: after++, text, mark: " " }]);
    }
  }
  flush();
  return rows;
}

function unifiedLines([first, second, lines]) {
  let [before, after] = [first, second];
  return lines.map((line) => {
    const mark = line[0] === "-" || line[0] === "+" ? line[0] : " ";
    return { mark, text: line.slice(1), before: mark === "+" ? null : before++, after: mark === "-" ? null : after++ };
  });
}

export function makeSourcePane(pane, { narrow }) {
  let source = null;
  let reason = "";
  let columns = !narrow;

  function show(found, why) {
    source = found;
    reason = why;
    render();
  }

  function render() {
    pane.replaceChildren();
    const head = element("div", undefined, "head");
    head.append(element("h3", "Source"));
    pane.append(head);
    if (!source) {
      pane.append(element("p", reason, "quiet"));
      return;
    }
    const [before, after] = source.paths;
    const named = before && after && before !== after ? `${before} → ${after}` : (after ?? before ?? "");
    head.append(element("code", named), element("span", source.origin, "quiet"), switches());
    if (!source.hunks.length) {
      pane.append(element("p", "Both versions are the same.", "quiet"));
      return;
    }
    const box = element("div", undefined, "scroll");
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", `Difference of the source, ${columns ? "two columns" : "unified"}`);
    box.append(columns ? twoColumns(source.hunks) : unified(source.hunks));
    pane.append(box);
  }

  function switches() {
    const group = element("span", undefined, "choices");
    for (const [value, title] of [
      [false, "Unified"],
      [true, "Two columns"],
    ]) {
      const button = makeButton(title, () => {
        columns = value;
        render();
        pane.querySelector('[aria-pressed="true"]').focus();
      });
      button.setAttribute("aria-pressed", String(columns === value));
      group.append(button);
    }
    return group;
  }

  return { show };
}

const MARK_WORDS = { "-": "removed", "+": "added", " ": "same" };

function unified(hunks) {
  const table = element("table", undefined, "diff");
  for (const hunk of hunks) {
    table.append(separator(hunk, 4));
    for (const line of unifiedLines(hunk)) {
      const row = element("tr", undefined, MARK_WORDS[line.mark]);
      row.append(numberCell(line.before), numberCell(line.after), element("td", line.mark, "mark"), codeCell(line.text));
      table.append(row);
    }
  }
  return table;
}

function twoColumns(hunks) {
  const table = element("table", undefined, "diff two");
  for (const hunk of hunks) {
    table.append(separator(hunk, 6));
    for (const pair of pairedLines(hunk)) {
      const row = element("tr");
      for (const side of pair) {
        const kind = side ? MARK_WORDS[side.mark] : "nothing";
        const code = codeCell(side?.text ?? "");
        const mark = element("td", side?.mark ?? "", `mark ${kind}`);
        code.classList.add(kind);
        row.append(numberCell(side?.number ?? null), mark, code);
      }
      table.append(row);
    }
  }
  return table;
}

function separator([before, after], span) {
  const row = element("tr", undefined, "hunk");
  const cell = element("td", `from line ${before} before, ${after} after`);
  cell.colSpan = span;
  row.append(cell);
  return row;
}

function numberCell(number) {
  return element("td", number === null ? "" : String(number), "number");
}

function codeCell(text) {
  const cell = element("td", undefined, "line");
  cell.append(element("code", text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "\ufffd")));
  return cell;
}
