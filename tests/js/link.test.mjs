// The address comes from whoever sends a link: any text behind `#` opens the page, and what it shows can be linked again.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { makeAddress } from "../../templates/page/address.js";
import { makePage } from "../../templates/page/context.js";
import { LINKED, parseFragment } from "../../templates/page/link.js";
import { keyOfSymbol, pathHashes } from "../../templates/page/tree.js";
import { pathKey, randomTree, seeded, treeOf } from "./trees.mjs";

const FRAGMENTS = 4000;
const HOSTILE = [
  ...["<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "javascript:alert(1)", "\u202ename", "a&b=c", "50%", "#~=+&", "\u0000", "(a+)+$"],
  ...["__proto__", "constructor", "toString", "9".repeat(400), "f".repeat(20000), "<init>", "operator++", "λ", "😀"],
];
const KEYS = [...LINKED, "zoom", "finding", "frame", "edits", "sandwich", "__proto__", "constructor", "toString", "", "unknown"];
const VALUES = [...HOSTILE, "", "0", "1", "-1", "1e400", "NaN", "0.5", "none", "total", "side", "self", "a", "max", "3/2", "1/0", "0".repeat(16), "0123456789abcdef~a~b"];
const HEADER = { findings: [{ key: "0".repeat(16), symbol: 1, severity: "maybe", direction: "worse" }], runs: [2, 3], normalisation: "none", better: "lower", g: 1, sample_value: 0 };
const TREE = treeOf([["m/a", 5, 7], ["m/b/a", 0, 3], ["m/<init>", 9, 0], ["operator++", 1, 1], ["constructor", 2, 2]]);
const SOUND = ["view=diff", "k=total", "basis=self", "order=delta", "fold=all", "reversed=1", `edits=focus.${"0".repeat(16)}~a`, `edits=focus.${keyOfSymbol(TREE, 0)}~a`, "sandwich=a", "q=a", "regex=1", "box=a", "tab=symbols"];
const PATHS = Array.from({ length: TREE.size }, (_, node) => pathKey(pathHashes(TREE), node));

function randomFragment(random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const value = () => (random() < 0.2 ? [pick(PATHS), pick(PATHS)].join(pick([".", "~", "\n"])) : random() < 0.3 ? pick(TREE.names) : pick(VALUES));
  const written = (text) => (random() < 0.2 ? text : encodeURIComponent(text));
  const part = () => pick([pick(SOUND), pick(SOUND), `zoom=${pick(PATHS)}`, `${pick(KEYS)}=${written(value())}`, `${pick(LINKED)}=${written(value())}`, `${pick(KEYS)}`, `${pick(KEYS)}=%E0%A4%A`, written(value())]);
  return pick(["#", "", "##"]) + Array.from({ length: Math.floor(random() * 7) }, part).join(pick(["&", "&", "&", "&&", ";"]));
}

// A page without pictures. Whatever an address writes to an element must be a value or a text.
function opened(tree, fragment) {
  const messages = [];
  const element = new Proxy({}, {
    set: (target, key, value) => {
      assert.ok(["value", "textContent"].includes(key), `writes ${key}`);
      target[key] = value;
      return true;
    },
  });
  globalThis.window = { innerWidth: 1400, addEventListener() {} };
  globalThis.document = { getElementById: () => element };
  globalThis.location = { hash: fragment };
  const write = (_state, _title, address) => (location.hash = address);
  globalThis.history = { pushState: write, replaceState: write };
  const page = makePage(HEADER, tree);
  page.showMessage = (text) => messages.push(text);
  page.renew();
  makeAddress(page)();
  page.renew(["tab"]); // the address is written in a pause after the reader does something
  page.writeAddress();
  return { page, messages, written: location.hash };
}

const shown = ({ page: { state: { boxSteps, ...state } } }) => state;

test("any fragment gives known keys with valid values", () => {
  const random = seeded(1);
  const kinds = { zoom: "object", zoomName: "string", finding: "string", findingName: "string", frame: "string", edits: "object", sandwich: "string" };
  for (let i = 0; i < FRAGMENTS; i++) {
    const fragment = randomFragment(random);
    const state = parseFragment(fragment);
    assert.equal(Object.getPrototypeOf(state), Object.prototype);
    for (const [key, value] of Object.entries(state)) {
      assert.ok(LINKED.includes(key) || key in kinds, key);
      if (key in kinds) assert.equal(typeof value, kinds[key], `${key} of ${fragment}`);
    }
  }
});

test("any fragment opens the page, and its link opens the same state", () => {
  const random = seeded(2);
  let different = 0;
  for (let i = 0; i < FRAGMENTS / 4; i++) {
    const fragment = randomFragment(random);
    const first = opened(TREE, fragment);
    const second = opened(TREE, first.written);
    assert.equal(second.written, first.written, fragment);
    assert.deepEqual(shown(second), shown(first), fragment);
    different += first.written.length > 1;
  }
  assert.ok(different > FRAGMENTS / 10);
});

test("every row of a tree is found again by its link", () => {
  const tree = randomTree(7, 30);
  const { page } = opened(tree, "");
  for (let node = 1; node < tree.size; node++) {
    page.goTo(node);
    page.writeAddress();
    const again = opened(tree, location.hash);
    assert.deepEqual(again.page.state.zoom, page.state.zoom);
    assert.deepEqual(again.messages, []);
  }
});

test("no module of the page makes markup of a text", () => {
  const folder = new URL("../../templates/page/", import.meta.url);
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".js"))) {
    assert.doesNotMatch(readFileSync(new URL(name, folder), "utf8"), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc|\beval\b|new Function|setAttribute\("on/, name);
  }
});
