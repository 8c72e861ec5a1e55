// The script of a flame graph page.
import { openPage } from "./app.js";

openPage([]);
