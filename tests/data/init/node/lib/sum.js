module.exports = function sum(n) { return n < 2 ? n : sum(n - 1) + sum(n - 2); };
