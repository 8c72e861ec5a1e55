'use strict'
const { readFileSync } = require('fs')

class Cart {
  constructor() { this.items = [] }
  add(item) { this.items = this.items.concat([item]) }
  get value() { return total(this.items) }
  async save(file) { return readFileSync(file, "utf8").length }
  clear() { this.items = [] }
}

// says what it sums
function total(items, tax = 0.2) {
  let result = 0
  for (const item of items) result += item.price * (1 + tax)
  return result
}

const countItems = (items) => {
  const seen = new Map()
  for (const item of items) seen.set(item.name, (seen.get(item.name) || 0) + 1)
  return seen.size
}

function outer(items) {
  function inner(item) { return item.price * 3 + item.name.length }
  return items.map(inner).filter((value) => value > 3)
}

exports.rank = function (items) {
  return [...items].sort((a, b) => a.price - b.price || 1)
}
const made = new Function('n', 'return n * 2')
module.exports.made = made
