// Print the errors that GitHub's parser finds in each workflow file, one JSON object a line: {name, errors}.
import { readFile } from "node:fs/promises";
import { register } from "node:module";

register("./json.mjs", import.meta.url);
const { NoOperationTraceWriter, convertWorkflowTemplate, parseWorkflow } = await import("@actions/workflow-parser");

for (const name of process.argv.slice(2)) {
  const content = await readFile(name, "utf8");
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  const errors = context.errors.getErrors().map((error) => error.message);
  if (value !== undefined && errors.length === 0) {
    const template = await convertWorkflowTemplate(context, value);
    errors.push(...(template.errors ?? []).map((error) => error.Message));
  }
  console.log(JSON.stringify({ name, errors }));
}
