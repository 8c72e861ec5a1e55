// GitHub's own artifact client on the command line; the last line says what came of it, as JSON.
//   client.mjs list | download ID FOLDER | upload NAME FOLDER FILE... | upload-raw FOLDER FILE
// With ARTIFACT_RUN and ARTIFACT_TOKEN, list and download look into another run by GitHub's API.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createHash } from "node:crypto";
import { DefaultArtifactClient } from "@actions/artifact";

const client = new DefaultArtifactClient();
const { ARTIFACT_RUN: run, ARTIFACT_TOKEN: token, GITHUB_REPOSITORY: repository = "/" } = process.env;
const [repositoryOwner, repositoryName] = repository.split("/");
const elsewhere = run ? { findBy: { workflowRunId: Number(run), repositoryOwner, repositoryName, token } } : {};

const files = async (folder) => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const digests = found.map(async (path) => [
    path.slice(folder.length + 1),
    createHash("sha256").update(await readFile(path)).digest("hex"),
  ]);
  return Object.fromEntries(await Promise.all(digests));
};

const tasks = {
  list: async () => (await client.listArtifacts(elsewhere)).artifacts,
  download: async (id, folder, expectedHash) => {
    const { digestMismatch } = await client.downloadArtifact(Number(id), { path: folder, expectedHash, ...elsewhere });
    return { digestMismatch, files: await files(folder) };
  },
  upload: (name, folder, ...names) =>
    client.uploadArtifact(name, names.map((each) => join(folder, each)), folder, { compressionLevel: 6 }),
  "upload-raw": (folder, name) => client.uploadArtifact(name, [join(folder, name)], folder, { skipArchive: true }),
};

const [task, ...words] = process.argv.slice(2);
console.log(`\n${JSON.stringify(await tasks[task](...words))}`);
process.exit(0);
