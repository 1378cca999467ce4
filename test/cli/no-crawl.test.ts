/** Messages and commands about folders of crawls. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { commandAt } from '../../cli/command-at.ts';
import { crawlMeant } from '../../cli/no-crawl.ts';
import { temporaryFolder } from '../local-crawl/local-crawl.ts';

let place: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  place = temporaryFolder();
});
afterEach(() => place.remove());

function makeDatabase(name: string): string {
  const folder = join(place.folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'crawl.sqlite'), '');
  return folder;
}

test('a folder whose name is nearly the same is named', () => {
  const folder = makeDatabase('news');
  expect(crawlMeant(join(place.folder, 'mews'))).toBe(`; did you mean "${folder}"?`);
});

test('of a crawl that failed to begin, as on a full disk, it says how to begin it again', () => {
  const folder = makeDatabase('news');
  makeDatabase('mews');
  expect(crawlMeant(folder)).toBe(
    `: it failed to begin. Begin it again: strand crawl SEED... --out "${folder}"`,
  );
});

test('a command for a folder whose name begins with a dash does not take it for an option', () => {
  expect(commandAt({ dir: '-news' }, 'resume')).toBe('strand resume ./-news');
  expect(commandAt({ dir: 'crawls/-news' }, 'resume')).toBe('strand resume crawls/-news');
});
