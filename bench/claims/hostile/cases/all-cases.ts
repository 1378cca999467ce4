/** All hostile cases, in groups. */
import type { HostileCase } from '../hostile-case.ts';
import { CHARSET_CASES } from './charsets.ts';
import { CODING_CASES } from './codings.ts';
import { CONNECTION_CASES } from './connections.ts';
import { HEAD_CASES } from './heads.ts';
import { PAGE_CASES } from './pages.ts';
import { PRIVATE_CASES } from './private.ts';
import { REDIRECT_CASES } from './redirects.ts';
import { REFERENCE_CASES } from './references.ts';
import { ROBOTS_CASES } from './robots.ts';
import { TRAP_CASES } from './traps.ts';
import { URL_CASES } from './urls.ts';
import { XML_CASES } from './xml.ts';

export const GROUPS: Readonly<Record<string, readonly HostileCase[]>> = {
  pages: PAGE_CASES,
  references: REFERENCE_CASES,
  charsets: CHARSET_CASES,
  codings: CODING_CASES,
  xml: XML_CASES,
  robots: ROBOTS_CASES,
  http: [...HEAD_CASES, ...CONNECTION_CASES],
  private: PRIVATE_CASES,
  redirects: REDIRECT_CASES,
  traps: TRAP_CASES,
  urls: URL_CASES,
};

export const ALL_CASES: readonly HostileCase[] = Object.values(GROUPS).flat();

/**
 * The cases of the groups, or whose names contain the words; all if there are none. Throws for a word that
 * means none.
 */
export function chooseCases(words: readonly string[]): readonly HostileCase[] {
  if (words.length === 0) return ALL_CASES;
  const chosen = words.flatMap((word) => {
    const found = GROUPS[word] ?? ALL_CASES.filter(({ name }) => name.includes(word));
    if (found.length === 0)
      throw new Error(
        `Expected a group (${Object.keys(GROUPS).join(', ')}) or a part of a name, got ${word}`,
      );
    return found;
  });
  return [...new Set(chosen)];
}
