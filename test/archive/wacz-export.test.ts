import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportWacz } from '../../cli/commands/export-wacz.ts';
import { UsageError } from '../../cli/usage-error.ts';
import { crawlWeb, recordsOf, temporaryFolder } from '../crawl/local-crawl.ts';
import { PLAIN } from '../web/features.ts';
import { generateWeb } from '../web/graph.ts';
import { type RunningWeb, startWeb } from '../web/server.ts';

let place: ReturnType<typeof temporaryFolder>;
let running: RunningWeb;

beforeAll(async () => {
  place = temporaryFolder();
  running = await startWeb(generateWeb({ seed: 5, hosts: 3, pagesPerHost: 6, features: PLAIN }), {
    latencyMs: 1,
  });
  await crawlWeb(place.folder, running, { scope: 'any' });
});
afterAll(async () => {
  await running.stop();
  place.remove();
});

/** The text of a stored or named part is found as it is: good enough to see that it is there. */
test('a crawl is exported whole: its WARC files as they are, and nothing is left beside the file', async () => {
  const out = `${place.folder}.wacz`;
  await exportWacz(place.folder, out);
  const file = readFileSync(out);
  const { records } = await recordsOf(place.folder);
  const warcs = new Set([...records.values()].flatMap(({ result }) => result?.location?.file ?? []));
  expect(warcs.size).toBeGreaterThan(0);
  for (const name of warcs) {
    expect(file.includes(readFileSync(join(place.folder, 'archive', name)))).toBe(true);
    expect(file.includes(`archive/${name}`)).toBe(true);
  }
  expect(existsSync(`${out}.part`)).toBe(false);
});

test('where the file cannot be made, and where there is no crawl, a line says so', async () => {
  await expect(exportWacz(place.folder, join(place.folder, 'none', 'x.wacz'))).rejects.toThrow(UsageError);
  await expect(exportWacz(join(place.folder, 'none'), `${place.folder}.2.wacz`)).rejects.toThrow(UsageError);
});
