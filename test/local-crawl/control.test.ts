/** One process crawls; the command line of others looks at the crawl and controls it. */
import { dirname } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exitCodes } from '../../cli/exit-codes.ts';
import { commandLine, rowOfPages, type SmallSite, startSite } from './small-site.ts';

/** At 100 ms each they outlast the start of three processes, which takes half a minute on a busy machine. */
const PAGES = 5000;

let site: SmallSite;
let here: ReturnType<typeof commandLine>;
beforeEach(async () => {
  here = commandLine();
  site = await startSite(rowOfPages(PAGES), { delayMs: 100 });
});
afterEach(async () => {
  here.remove();
  await site.stop();
});

/** The answer of a command in JSON, from a process of its own. */
async function asked(verb: string, of = here.folder) {
  const { code, out, err } = await here.strand(verb, of, '--json').ended;
  expect([verb, code, err]).toEqual([verb, exitCodes.finished, '']);
  return JSON.parse(out);
}

test('list, hosts, watch, pause and stop reach a crawl of another process', async () => {
  const crawling = here.crawl(site, 'export default {};');
  await site.asked('/3');
  expect(await asked('list', dirname(here.folder))).toMatchObject({ crawls: [{ state: 'running' }] });
  expect(await asked('hosts')).toMatchObject({ hosts: [{ host: new URL(site.url).host }] });

  const watching = here.strand('status', here.folder, '--watch', '--json');
  expect(await asked('pause')).toMatchObject({ state: 'paused' });
  const [crawled, watched] = await Promise.all([crawling.ended, watching.ended]);
  for (const { code, out } of [crawled, watched])
    expect([code, JSON.parse(out).state]).toEqual([exitCodes.interrupted, 'paused']);
  const requests = site.log.length;
  expect(requests).toBeLessThan(PAGES);

  const resumed = here.resume();
  await site.asked(`/${requests + 2}`);
  expect(await asked('stop')).toMatchObject({ state: 'stopped' });
  expect(JSON.parse((await resumed.ended).out)).toMatchObject({ state: 'stopped' });
  expect(await asked('status')).toMatchObject({ state: 'stopped' });
  // At most the request in flight was made twice.
  expect(site.log.length - new Set(site.log).size).toBeLessThanOrEqual(1);
});
