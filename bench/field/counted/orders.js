// A Node program. The two constants are the work of `weight` and of `digit`.
const WEIGHT = 1000;
const DIGIT = 1000;

function weight(key) {
  let found = key.length;
  for (let at = 0; at < WEIGHT / 20; at++) found = (found * 31 + at) % 9973;
  return found;
}

function digit(number) {
  let found = 0;
  for (let at = 0; at < DIGIT / 20; at++) found ^= number >> (at & 7);
  return found % 10;
}

const sums = new Map();
for (let number = 0; number < 3000; number++) {
  const key = `order ${number % 100}`;
  sums.set(key, (sums.get(key) ?? 0) + digit(number + weight(key)));
}
console.log(JSON.stringify([...sums]).length);
