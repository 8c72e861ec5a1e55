interface Item { name: string; price: number }
export class Cart<T extends Item> {
  private items: T[] = [];
  add(item: T): void { this.items = [...this.items, item]; }
  size = (): number => {
    return this.items.length;
  };
  value(): number;
  value(tax?: number): number { return total(this.items, tax); }
}
export function total(items: readonly Item[], tax = 0.2): number {
  return items.reduce((sum, item) => sum + item.price * (1 + tax), 0);
}
export const summary = (items: Item[]): string => {
  const names = items.map((item) => item.name);
  return names.sort().join(', ');
};
