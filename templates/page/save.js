// Copies and saves what is shown: a link, text, SVG and PNG.
import { announce, byId, element } from "./dom.js";
import { boxOf } from "./draw.js";
import { shorten } from "./format.js";
import { nameOf } from "./tree.js";
import { describe, fromOf } from "./words.js";
import { paletteOf, LEVELS } from "./colour.js";

const SMALLEST_LINE = 0.005; // share of the shown frame
const SVG_CHARACTER = 6.7;
const XML = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function makeSaving(page) {
  page.copyLink = () => {
    page.writeAddress();
    return copy(location.href, "The link is copied.", "copy the link from the address bar");
  };
  byId("copy-link").addEventListener("click", page.copyLink);
  byId("copy-text").addEventListener("click", () =>
    copy(textOf(page), "The frames are copied as text.", "use the table instead"),
  );
  byId("save-svg").addEventListener("click", () =>
    save(page, new Blob([svgOf(page)], { type: "image/svg+xml" }), "svg"),
  );
  byId("save-png").addEventListener("click", () => pictureOf(page).toBlob((blob) => save(page, blob, "png")));
  byId("print").addEventListener("click", () => window.print());
  // The printed page has light colours and the table of functions below the open panel.
  const print = (begins) => {
    page.prepareTab("symbols");
    if (begins === Boolean(page.printing)) return;
    page.printing = begins;
    page.renew(["theme"]);
    page.drawNow();
  };
  window.addEventListener("beforeprint", () => print(true));
  window.addEventListener("afterprint", () => print(false));
  window.matchMedia("print").addEventListener("change", ({ matches }) => print(matches));

  async function copy(text, done, instead) {
    try {
      await navigator.clipboard.writeText(text);
      announce(done);
      page.showMessage(done);
    } catch {
      page.showMessage(`Copying is not allowed here; ${instead}.`);
    }
  }
}

// An outline of the frames below the shown frame, with the numbers of both sides.
export function textOf(page, shape = 0) {
  const tree = page.shapes[shape];
  const root = page.state.zoom[shape];
  const lines = [];
  for (let node = root; node < tree.end[root];) {
    const part = Math.max(tree.before[node] / (tree.before[root] || 1), tree.after[node] / (tree.after[root] || 1));
    if (part < SMALLEST_LINE) {
      node = tree.end[node];
      continue;
    }
    const [all] = describe(page, shape, node).lines;
    const indent = "  ".repeat(tree.depth[node] - tree.depth[root]);
    const costs = page.header.alone ? all.after : `${fromOf(all)} → ${all.after} (${all.relative})`;
    lines.push(`${indent}${nameOf(tree, node)}  ${costs}`);
    node++;
  }
  return `${lines.join("\n")}\n`;
}

function save(page, blob, suffix) {
  const link = element("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${page.header.title.replace(/[^\w.-]+/g, "-").slice(0, 80)}.${suffix}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// One picture of all canvases, arranged as on the page.
function pictureOf(page) {
  const panes = byId("panes").getBoundingClientRect();
  const ratio = window.devicePixelRatio || 1;
  const picture = element("canvas");
  [picture.width, picture.height] = [Math.ceil(panes.width * ratio), Math.ceil(panes.height * ratio)];
  const context = picture.getContext("2d");
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, picture.width, picture.height);
  for (const { canvas } of page.frames) {
    const { left, top } = canvas.getBoundingClientRect();
    context.drawImage(canvas, (left - panes.left) * ratio, (top - panes.top) * ratio);
  }
  return picture;
}

// The drawn boxes of all pictures as SVG, one picture below the other.
function svgOf(page) {
  const escape = (text) =>
    text
      .replace(/[&<>"]/g, (letter) => XML[letter])
      .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");
  const palette = paletteOf("light", page.higher);
  const parts = [];
  let top = 0;
  let width = 0;
  for (const { scene, plan, pane, caption } of page.frames) {
    if (!plan) continue;
    width = Math.max(width, scene.width);
    parts.push(`<text x="4" y="${top + 13}">${escape(caption.textContent)}</text>`);
    top += 19;
    plan.rows.forEach(({ nodes }, index) => {
      const y = top + (pane.flip ? plan.rows.length - 1 - index : index) * scene.rowHeight;
      for (const node of nodes) {
        const [left, size] = boxOf(scene, plan.scale, node);
        const level = page.shades[pane.shape].level[node] + LEVELS;
        const name = nameOf(scene.tree, node);
        const label = shorten(name, Math.floor((size - 8) / SVG_CHARACTER));
        const [x, fill] = [(left + 4).toFixed(1), palette.labels[level]];
        parts.push(
          `<g><title>${escape(name)}</title><rect x="${left.toFixed(1)}" y="${y}" `,
          `width="${Math.max(size - 1, 0.5).toFixed(1)}" height="${scene.rowHeight - 1}" `,
          `fill="${palette.fills[level]}"/>`,
          label ? `<text x="${x}" y="${y + 13}" fill="${fill}">${escape(label)}</text>` : "",
          "</g>",
        );
      }
    });
    top += plan.rows.length * scene.rowHeight + 8;
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" ` +
    (`height="${top}" font-family="monospace" font-size="11"><rect ` +
      `width="100%" height="100%" fill="#fff"/>${parts.join("")}</svg>`)
  );
}
