/** The purpose of a crawl, and which preferences of sites it has to obey. */
import { combineUsage, type UsagePreferences, type UsageStatement } from './usage-statement.ts';

export const PURPOSES = ['archive', 'search', 'ai-input', 'train-ai', 'research'] as const;
export type Purpose = (typeof PURPOSES)[number];

/**
 * The uses of content that each purpose makes, by the names of `combineUsage`. A reservation of text and data mining
 * (TDMRep) is about all that analyses content by machine, but not about a search index or an archive.
 */
const USES: Readonly<Record<Purpose, readonly string[]>> = {
  archive: [],
  search: ['search'],
  'ai-input': ['ai-input', 'tdm'],
  'train-ai': ['train-ai', 'tdm'],
  research: ['tdm'],
};

/** The first use of the purpose that the statements forbid; undefined: none. */
export function forbiddenUse(
  purpose: Purpose | undefined,
  statements: readonly UsageStatement[] = [],
): string | undefined {
  if (purpose === undefined || statements.length === 0) return undefined;
  return forbiddenAmong(purpose, combineUsage(statements));
}

/** As {@link forbiddenUse}, by statements that are combined. */
export const forbiddenAmong = (purpose: Purpose, preferences: UsagePreferences = {}): string | undefined =>
  USES[purpose].find((use) => preferences[use] === 'n');

/** Whether the purpose has to obey a reservation of text and data mining. */
export const wantsTdm = (purpose: Purpose): boolean => USES[purpose].includes('tdm');

/** Whether the purpose makes a use of content that a site can reserve. An archive makes none. */
export const makesUse = (purpose: Purpose | undefined): purpose is Purpose =>
  purpose !== undefined && USES[purpose].length > 0;
