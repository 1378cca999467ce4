/** The validators of pages that change, and which of them the web recognizes. */
import { expect, test } from 'vitest';
import { createChance } from '../../web/chance.ts';
import { isKnown, type PageVersion, versionAt } from '../../web/changes.ts';

const HOUR = 3_600_000;
const FROM = Date.UTC(2026, 0, 1);

/** The validators of a page as it is and after each of its changes within two days. */
function versionsOf(seed: number): PageVersion[] {
  const chance = createChance(seed);
  const versions: PageVersion[] = [];
  for (let at = FROM; at < FROM + 48 * HOUR; at += HOUR / 60) {
    const version = versionAt(chance, 0, 1, at);
    if (version.number !== versions.at(-1)?.number) versions.push(version);
  }
  return versions;
}

const fieldOf = ({ fields }: PageVersion, name: string) => fields.find(([field]) => field === name)?.[1];

/** The request of a client that has the version. */
const conditional = (version: PageVersion) => {
  const [tag, date] = [fieldOf(version, 'ETag'), fieldOf(version, 'Last-Modified')];
  return {
    headers: { ...(tag && { 'If-None-Match': tag }), ...(date && { 'If-Modified-Since': date }) },
  };
};

test('hosts send a tag, a date, both, or none; and a client that has the version is recognized', () => {
  const kinds = new Set<string>();
  let set = 0;
  for (let seed = 0; seed < 200; seed++) {
    const [first, second] = versionsOf(seed);
    if (!first || !second) continue;
    kinds.add(first.fields.map(([name]) => name).join());
    expect(isKnown(conditional(first), first)).toBe(first.fields.length > 0);
    const [tag, dates] = [
      fieldOf(first, 'ETag'),
      [first, second].map((one) => fieldOf(one, 'Last-Modified')),
    ];
    const [before = 0, after = 0] = dates.map((date) => Date.parse(date ?? ''));
    if (after < before) set++;
    // By a tag that never changes, and by a date that was set back, the page seems to be as it was.
    const isWrong = tag === 'W/"build"' || (tag === undefined && after < before);
    expect(isKnown(conditional(first), second), `seed ${seed}`).toBe(isWrong);
  }
  expect(kinds).toEqual(new Set(['', 'ETag', 'Last-Modified', 'ETag,Last-Modified']));
  expect(set).toBeGreaterThan(3);
});

test('a tag counts alone, whatever the date is', () => {
  const fields = [
    ['ETag', '"2"'],
    ['Last-Modified', 'Thu, 01 Jan 2026 00:00:00 GMT'],
  ] as const;
  const version = { number: 2, changedAt: FROM, fields };
  const since = { 'If-Modified-Since': 'Fri, 02 Jan 2026 00:00:00 GMT' };
  expect(isKnown({ headers: { 'If-None-Match': '"1"', ...since } }, version)).toBe(false);
  expect(isKnown({ headers: { 'If-None-Match': '"2"' } }, version)).toBe(true);
  expect(isKnown({ headers: since }, version)).toBe(true);
});
