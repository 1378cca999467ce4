/** The references of a document, bounded. */
import { MAX_REFERENCES } from './media-module.ts';

export interface References {
  /** Adds a reference; returns its URL at the document's, undefined if it is not an http(s) URL. */
  add(reference: string): string | undefined;
  all(): readonly string[];
}

/** Longer ones are never fetched. */
const MAX_CHARS = 16_000;

export function createReferences(url: string): References {
  const found = new Set<string>();
  return {
    add(reference) {
      if (reference.length > MAX_CHARS) return undefined;
      const target = URL.parse(reference.trim(), url);
      if (target === null || !/^https?:$/.test(target.protocol)) return undefined;
      if (found.size < MAX_REFERENCES) found.add(target.href);
      return target.href;
    },
    all: () => [...found],
  };
}
