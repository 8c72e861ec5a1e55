// Copies a link, and prints the page.
import { announce, byId } from "./dom.js";

export function makeSaving(page) {
  page.copyLink = async () => {
    page.writeAddress();
    try {
      await navigator.clipboard.writeText(location.href);
      announce("The link is copied.");
      page.showMessage("The link is copied.");
    } catch {
      page.showMessage("Copying is not allowed here; copy the link from the address bar.");
    }
  };
  byId("copy-link").addEventListener("click", page.copyLink);
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
}
