exports.write = function write(items) {
  return items.map((item) => `${item.name};${item.price}`).join('\n');
};
