// The path to the shown frame and the symbol of a sandwich view.
import { byId, element, linkButton } from "./dom.js";
import { ancestorsOf, nameOf, symbolName } from "./tree.js";

const LONGEST = 9;

export function makeTrail(page) {
  function showTrail() {
    const shape = page.shapes.length > 1 ? page.state.focus.shape : 0;
    const tree = page.shapes[shape];
    const zoom = page.state.zoom[shape];
    const path = ancestorsOf(tree, zoom);
    const shown = path.length > LONGEST ? [path[0], -1, ...path.slice(2 - LONGEST)] : path;
    byId("trail").replaceChildren(
      ...shown.map((node) => {
        const entry = element("li");
        if (node < 0) entry.append(`… ${path.length - LONGEST + 1} frames …`);
        else if (node === zoom) {
          const current = element("bdi", nameOf(tree, node));
          current.setAttribute("aria-current", "location");
          entry.append(current);
        } else entry.append(linkButton(nameOf(tree, node), () => page.zoomTo(node, shape)));
        return entry;
      }),
    );
  }

  function showSandwich() {
    const { sandwich } = page.state;
    byId("sandwich").hidden = sandwich < 0;
    if (sandwich < 0) return;
    const name = element("b", symbolName(page.tree, sandwich));
    const rest = ": all its calls merged, recursion counted once";
    byId("sandwich-name").replaceChildren("Callers above and callees below ", name, rest);
  }

  page.on("zoom", showTrail);
  page.on("shape", showSandwich);
}
