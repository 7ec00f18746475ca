/** Options of an `LRUCache` that allocates as it fills. With `max` it would for all entries at once. */
export const maxEntries = (count: number) => ({ maxSize: count, sizeCalculation: () => 1 })
