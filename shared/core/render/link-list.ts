/** URLs that a page leads to, in their order, each once, at most `limit`. */
export class LinkList {
  readonly #limit: number;
  readonly #urls = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(url: string): void {
    if (this.#urls.size < this.#limit && url.length <= MAX_CHARS && /^https?:\/\//i.test(url))
      this.#urls.add(url);
  }

  get size(): number {
    return this.#urls.size;
  }

  all(): readonly string[] {
    return [...this.#urls];
  }
}

/** A longer URL is not one that a server takes. */
const MAX_CHARS = 8192;
