// The script of a flame graph page with an evolution blueprint.
import { openPage } from "./app.js";
import { blueprintPanel } from "./blueprint_view.js";

openPage([blueprintPanel]);
