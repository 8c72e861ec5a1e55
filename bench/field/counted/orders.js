// A Node program.
const sums = new Map();
for (let number = 0; number < 3000; number++) {
  const key = `order ${number % 100}`;
  sums.set(key, (sums.get(key) ?? 0) + number);
}
console.log(JSON.stringify([...sums]).length);
