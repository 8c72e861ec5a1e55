// Copies a link or the explanation of the findings, and prints the page.
import { announce, byId } from "./dom.js";

export function makeSaving(page) {
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      announce("Copied.");
      page.showMessage("Copied.");
    } catch {
      page.showMessage("Copying is not allowed here.");
    }
  };
  page.copyLink = () => {
    page.writeAddress();
    return copy(location.href);
  };
  byId("copy-link").addEventListener("click", page.copyLink);
  const { explanation } = page.header;
  byId("copy-explanation").hidden = !explanation;
  byId("copy-explanation").addEventListener("click", () => copy(explanation));
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
}
