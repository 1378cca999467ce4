import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UsageError } from '../../cli/usage-error.ts';
import { crawlWeb, recordsOf, temporaryFolder } from '../local-crawl/local-crawl.ts';
import { PLAIN } from '../web/features.ts';
import { generateWeb } from '../web/graph.ts';
import { type RunningWeb, startWeb } from '../web/server.ts';
import { runHere } from './commands.ts';

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

const exportTo = (folder: string, out: string) => runHere('export', folder, '--format', 'wacz', '--out', out);

/** The text of a stored or named part is found as it is: good enough to see that it is there. */
test('a crawl is exported whole: its WARC files as they are, and nothing is left beside the file', async () => {
  const out = `${place.folder}.wacz`;
  await exportTo(place.folder, out);
  const file = readFileSync(out);
  const { records } = await recordsOf(place.folder);
  const warcs = new Set([...records.values()].flatMap(({ result }) => result?.location?.file ?? []));
  expect(warcs.size).toBeGreaterThan(0);
  for (const name of warcs) {
    expect(file.includes(readFileSync(join(place.folder, 'archive', name)))).toBe(true);
    expect(file.includes(`archive/${name}`)).toBe(true);
  }
  expect(readdirSync(dirname(out)).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test.each([
  ['within its last capture', 4000],
  ['within what follows its last capture, which no index names', 5],
])(
  'a WARC file that was cut %s is reported with name and offset, and the rest is exported',
  async (_, bytes) => {
    const copy = temporaryFolder();
    cpSync(place.folder, copy.folder, { recursive: true });
    const archive = join(copy.folder, 'archive');
    const [name] = readdirSync(archive).filter((file) => file.endsWith('.warc.gz'));
    const path = join(archive, name!);
    truncateSync(path, statSync(path).size - bytes);
    const program = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));
    for (const [format, out] of [
      ['wacz', `${copy.folder}.wacz`],
      ['cdxj', `${copy.folder}.cdxj`],
    ] as const) {
      const args = [program, 'export', copy.folder, '--format', format, '--out', out];
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect([status, stderr]).toEqual([1, expect.stringMatching(new RegExp(`${name}.*damaged.*at \\d+`))]);
      expect(statSync(out).size).toBeGreaterThan(1000);
    }
    copy.remove();
  },
);

test('where the file cannot be made, and where there is no crawl, a line says so', async () => {
  await expect(exportTo(place.folder, join(place.folder, 'none', 'x.wacz'))).rejects.toThrow(UsageError);
  await expect(exportTo(join(place.folder, 'none'), `${place.folder}.2.wacz`)).rejects.toThrow(
    'There is no crawl',
  );
});
