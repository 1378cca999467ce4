/** A priority queue of pages: the one with the least key first. A binary heap. */
export interface LeastFirst {
  readonly size: number;
  push(key: number, page: number): void;
  /** The least key, without its page; infinite if there is none. */
  leastKey(): number;
  /** Removes the page with the least key. */
  pop(): number;
}

export function createLeastFirst(): LeastFirst {
  const keys: number[] = [];
  const pages: number[] = [];
  const key = (at: number): number => keys[at] as number;
  const put = (at: number, k: number, page: number): void => {
    keys[at] = k;
    pages[at] = page;
  };
  const move = (from: number, to: number): void => put(to, key(from), pages[from] as number);

  return {
    get size() {
      return keys.length;
    },
    leastKey: () => keys[0] ?? Number.POSITIVE_INFINITY,
    push(k, page) {
      let at = keys.length;
      for (let parent = (at - 1) >> 1; at > 0 && key(parent) > k; parent = (at - 1) >> 1) {
        move(parent, at);
        at = parent;
      }
      put(at, k, page);
    },
    pop() {
      const first = pages[0] as number;
      const [k, page] = [keys.pop() as number, pages.pop() as number];
      if (keys.length === 0) return first;
      let at = 0;
      for (;;) {
        let child = 2 * at + 1;
        if (child + 1 < keys.length && key(child + 1) < key(child)) child++;
        if (child >= keys.length || key(child) >= k) break;
        move(child, at);
        at = child;
      }
      put(at, k, page);
      return first;
    },
  };
}
