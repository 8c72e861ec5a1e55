// The path to the shown frame.
import { byId, element, linkButton } from "./dom.js";
import { ancestorsOf, nameOf } from "./tree.js";

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
    byId("sandwich").hidden = page.state.sandwich < 0;
  }

  page.on("zoom", showTrail);
  page.on("shape", showSandwich);
}
