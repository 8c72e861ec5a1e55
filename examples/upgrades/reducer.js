// Changes the rows of a table as a reducer of a web application does, with a new state for each change.
const { produce } = require("immer");

function addTag(state, index) {
  return produce(state, (draft) => {
    const row = draft.rows[(index * 7) % 200];
    row.tags = row.tags.length > 9 ? [] : [...row.tags, "new"];
  });
}

function countVisit(state, index) {
  return produce(state, (draft) => {
    draft.rows[index % 200].visits.count += 1;
  });
}

let state = { rows: Array.from({ length: 200 }, (_, id) => ({ id, tags: [], visits: { count: 0 } })) };
for (let index = 0; index < Number(process.argv[2] ?? 18000); index += 1) {
  state = countVisit(addTag(state, index), index);
}
