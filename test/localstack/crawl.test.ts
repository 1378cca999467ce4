/** The core on the AWS engine, unchanged: a whole crawl by one worker process, its state on the emulator. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { decodeMember, fieldOf } from '../../shared/archive/read-warc.ts';
import { parseConfig } from '../../shared/crawl/config.ts';
import { createFetcher } from '../../shared/fetcher/fetcher.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { checkLog } from '../web/check.ts';
import { PLAIN } from '../web/features.ts';
import { generateWeb } from '../web/graph.ts';
import { type RunningWeb, startWeb } from '../web/server.ts';
import { closure } from '../web/truth.ts';
import { begin, CRAWL, ledgersOf, startProcess } from '../worker/world.ts';
import { openAwsEngine } from './open-engine.ts';
import { hasEmulator } from './resources.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(): Promise<RunningWeb> {
  const features = { ...PLAIN, redirects: true, duplicates: true, spellings: true };
  const running = await startWeb(generateWeb({ seed: 51, hosts: 8, pagesPerHost: 12, features }), {
    latencyMs: 1,
  });
  closing.push(() => running.stop());
  return running;
}

test.runIf(hasEmulator())(
  'a crawl on the aws engine fetches each URL once, hurries no host, and archives what it announces',
  async () => {
    const running = await serve();
    const opened = await openAwsEngine({ leaseMs: 60_000, isGathering: true });
    const tempFolder = mkdtempSync(join(tmpdir(), 'strand-'));
    closing.push(opened.close, () => rmSync(tempFolder, { recursive: true }));
    const { engine } = opened;
    const options = {
      ...QUICK,
      delayMs: 3,
      scope: 'host' as const,
      resolve: [['*.test', running.address]] as [string, string][],
    };
    const fetcher = createFetcher({ ...parseConfig(options), tempFolder, clock: engine.clock });
    closing.push(() => fetcher.close());

    await begin({ engine } as Parameters<typeof begin>[0], running.seeds, options);
    const process = startProcess(engine, fetcher);
    while (!(await engine.registry.isQuiet(CRAWL))) await engine.clock.sleep(500);
    process.stop();
    await process.ended;
    expect(process.errors).toEqual([]);

    const { web, log, seeds } = running;
    const truth = closure(web, { seeds, scope: 'host', robotsAgent: 'Strand' });
    expect(checkLog(web, log, { truth, delayMs: 3, toleranceMs: 3 })).toEqual([]);
    let fetched = 0;
    for (const { records } of (await ledgersOf(engine)).values())
      for (const { url, result } of records.values()) {
        if (!result?.location) continue;
        fetched++;
        const record = decodeMember((await opened.readRecord?.(CRAWL, result.location)) as Uint8Array);
        expect([fieldOf(record, 'WARC-Target-URI'), fieldOf(record, 'WARC-Type')]).toEqual([url, 'response']);
      }
    expect(fetched).toBe(log.filter(({ path }) => path !== '/robots.txt').length);
  },
  180_000,
);
