// Runs the script of a flame graph page.
import { showFailure, unpack } from "./packed.js";

async function load() {
  const script = document.createElement("script");
  script.type = "module";
  script.textContent = new TextDecoder().decode(await unpack("script"));
  document.body.append(script);
}

load().catch((error) => showFailure("The interactive graph", error, "the static picture is shown instead"));
