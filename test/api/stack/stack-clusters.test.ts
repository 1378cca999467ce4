import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openStackCrawl } from '../../../api/stack/open-stack-crawl.ts';
import { beginStackCrawl, readStackOptions } from '../../../api/stack/start-stack-crawl.ts';
import { drive } from '../../../simulation/models/virtual-time.ts';
import { runOnStack } from '../../cli/commands.ts';
import { paper } from '../../cli/stack-fakes.ts';
import { deployedWorld } from './deployed-world.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'strand-home-'));
  vi.stubEnv('HOME', home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

const WORDS = 'ship quay wind rope sail mast keel deck hull storm tide port star chart bell anchor'.split(
  ' ',
);
/** 100 words in an order that no two numbers share. */
const wordsOf = (n: number): string =>
  Array.from({ length: 100 }, (_, i) => WORDS[((i + 3) * (i + 5) * (2 * n + 1)) % 15]).join(' ');

const A = 'http://a.test/';
const PAGES = { [`${A}0`]: ['/1', '/2', '/3'], [`${A}1`]: [], [`${A}2`]: [], [`${A}3`]: [] };
const NUMBERS: Record<string, number> = { [`${A}0`]: 1, [`${A}1`]: 2, [`${A}2`]: 3, [`${A}3`]: 3 };

test('url and report of a crawl of a stack name the copies that were found on this machine', async () => {
  const textOf = (url: string) => `<main><p>${wordsOf(NUMBERS[url] ?? 0)}</p></main>`;
  const world = deployedWorld(PAGES, { textOf });
  const { connection, time } = world;
  const work = async () => {
    const start = { stack: 'Strand', crawl: 'c', seeds: [`${A}0`], contact: 'https://sim.test/' };
    await beginStackCrawl(connection, readStackOptions(start));
    const crawl = await openStackCrawl(connection, 'c');
    await crawl.done;
    const before = await crawl.report();
    expect(before.nearDuplicates).toBeUndefined();
    expect(await crawl.url(`${A}2`)).not.toHaveProperty('copies');

    expect(await crawl.duplicates()).toMatchObject({ copies: 1 });
    expect(await crawl.url(`${A}2`)).toMatchObject({ copyCount: 1, copies: [{ url: `${A}3` }] });
    expect(await crawl.url(`${A}3`)).toMatchObject({ duplicateOf: `${A}2` });
    expect((await crawl.report()).nearDuplicates).toEqual({
      pages: 1,
      largest: [{ url: `${A}2`, copies: 1 }],
    });

    const out = paper();
    const session = { ...connection, openCrawl: () => Promise.resolve(crawl) };
    const words = ['--stack', 'Strand', 'url', 'c', `${A}2`];
    await runOnStack(words, session as never, { out, environment: {} } as never);
    expect(out.text()).toContain(`1 page with nearly the same text: ${A}3`);
  };
  await drive(time, work());
  world.deployment.stop();
});
