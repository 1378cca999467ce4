/** Types of `StoredCrawl.inlinks`. */

/** A page that links to a URL. */
export interface Inlink {
  readonly page: string;
  /** The visible texts of its links to the URL, each once; empty for an image without a description. */
  readonly texts: readonly string[];
  /** The URL in the link, if that redirects to the requested one. */
  readonly by?: string;
}

/** A text of links, and how many pages have it. */
export interface Anchor {
  readonly text: string;
  readonly pages: number;
}

/** The texts of links, those of the most pages first. */
export function anchorsOf(inlinks: readonly Inlink[]): readonly Anchor[] {
  const counts = new Map<string, number>();
  for (const { texts } of inlinks) for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return Array.from(counts, ([text, pages]) => ({ text, pages })).sort(
    (a, b) => b.pages - a.pages || (a.text < b.text ? -1 : 1),
  );
}
