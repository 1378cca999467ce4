/** Pages that were read lately: the pieces of a long page are of one version of it, and it is read once. */

export interface AnsweredPage {
  readonly url: string;
  readonly asked: string;
  readonly title: string | undefined;
  readonly markdown: string;
  readonly fetchedAt: string;
  readonly status: number | undefined;
  readonly language: string | undefined;
  readonly usage: Readonly<Record<string, string>> | undefined;
  readonly crawl?: string;
}

const MAX_PAGES = 4;
/** Longer Markdown is not kept: its page is read again for each piece. */
const MAX_CHARS = 2_000_000;
const KEPT_MS = 5 * 60_000;

export class ReadPages {
  readonly #pages = new Map<string, { readonly at: number; readonly page: AnsweredPage }>();

  /** The page of that key; `read` reads it if it is not kept, and for its first piece. */
  async read(key: string, isFirst: boolean, read: () => Promise<AnsweredPage>): Promise<AnsweredPage> {
    const kept = this.#pages.get(key);
    const now = performance.now();
    if (!isFirst && kept && now - kept.at < KEPT_MS) return kept.page;
    const page = await read();
    this.#pages.delete(key);
    if (page.markdown.length <= MAX_CHARS) this.#pages.set(key, { at: now, page });
    for (const [first] of this.#pages) if (this.#pages.size > MAX_PAGES) this.#pages.delete(first);
    return page;
  }
}
