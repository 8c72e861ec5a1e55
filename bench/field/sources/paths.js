// Shortest paths on grids, rooms and a printed map; fixed work for the CPU profiler of Node.
"use strict";
let sink = 0;

function grid(side, seed) {
  const cells = new Uint8Array(side * side);
  let state = seed;
  for (let place = 0; place < cells.length; place++) {
    state = (state * 1103 + 12345) % 2147483;
    cells[place] = state % 10 < 3 ? 1 : 0;
  }
  cells[0] = cells[cells.length - 1] = 0;
  return cells;
}

function push(heap, cost, place) {
  let child = heap.length;
  heap.push([cost, place]);
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (heap[parent][0] <= heap[child][0]) break;
    const other = heap[parent];
    heap[parent] = heap[child];
    heap[child] = other;
    child = parent;
  }
}

function sink_down(heap) {
  let parent = 0;
  for (;;) {
    let least = parent;
    for (const child of [2 * parent + 1, 2 * parent + 2]) {
      if (child < heap.length && heap[child][0] < heap[least][0]) least = child;
    }
    if (least === parent) return;
    const other = heap[parent];
    heap[parent] = heap[least];
    heap[least] = other;
    parent = least;
  }
}

function pop(heap) {
  const first = heap[0];
  const last = heap.pop();
  if (heap.length > 0) {
    heap[0] = last;
    sink_down(heap);
  }
  return first;
}

function neighbours(cells, side, place) {
  const found = [];
  const row = Math.floor(place / side);
  const column = place % side;
  if (row > 0 && !cells[place - side]) found.push(place - side);
  if (row < side - 1 && !cells[place + side]) found.push(place + side);
  if (column > 0 && !cells[place - 1]) found.push(place - 1);
  if (column < side - 1 && !cells[place + 1]) found.push(place + 1);
  return found;
}

function estimate(side, place) {
  return 2 * side - 2 - Math.floor(place / side) - (place % side);
}

function shortest(cells, side) {
  const costs = new Map([[0, 0]]);
  const heap = [];
  push(heap, estimate(side, 0), 0);
  while (heap.length > 0) {
    const [, place] = pop(heap);
    if (place === cells.length - 1) return costs.get(place);
    for (const next of neighbours(cells, side, place)) {
      const cost = costs.get(place) + 1;
      if (!costs.has(next) || cost < costs.get(next)) {
        costs.set(next, cost);
        push(heap, cost + estimate(side, next), next);
      }
    }
  }
  return -1;
}

function rooms(cells, side) {
  const names = new Int32Array(cells.length);
  let count = 0;
  for (let start = 0; start < cells.length; start++) {
    if (cells[start] || names[start]) continue;
    count++;
    const open = [start];
    names[start] = count;
    while (open.length > 0) {
      for (const next of neighbours(cells, side, open.pop())) {
        if (!names[next]) {
          names[next] = count;
          open.push(next);
        }
      }
    }
  }
  return count;
}

function printed(cells, side) {
  const lines = [];
  for (let row = 0; row < side; row++) {
    let line = "";
    for (let column = 0; column < side; column++) line += cells[row * side + column] ? "#" : ".";
    lines.push(line);
  }
  return lines;
}

function runs(lines) {
  let count = 0;
  for (const line of lines) {
    for (let place = 1; place < line.length; place++) if (line.charCodeAt(place) !== line.charCodeAt(place - 1)) count++;
  }
  return count;
}

function blurred(cells, side) {
  let total = 0;
  for (let row = 1; row < side - 1; row++) {
    for (let column = 1; column < side - 1; column++) {
      let sum = 0;
      for (let down = -1; down <= 1; down++) {
        for (let right = -1; right <= 1; right++) sum += cells[(row + down) * side + column + right];
      }
      if (sum > 4) total++;
    }
  }
  return total;
}

function round(number) {
  const side = 40;
  const cells = grid(side, number + 1);
  const lines = printed(cells, side);
  return shortest(cells, side) + rooms(cells, side) + runs(lines) + blurred(cells, side);
}

function main(rounds) {
  let total = 0;
  for (let number = 0; number < rounds; number++) total += round(number);
  console.log(total, sink);
}

main(Number(process.argv[2]));
