/**
 * No check but a measurement: crawls a generated web on a deployed stack, alone, and writes what
 * `bench/harness/aws-cost.ts` reads into the folder that STRAND_FIGURES names. Without it, nothing is run.
 *
 *     STRAND_FIGURES=/tmp/figures npx vitest run --project localstack test/localstack/figures.test.ts
 *     node bench/harness/aws-cost.ts /tmp/figures/totals.json /tmp/figures/calls.json
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { PLAIN } from '../web/features.ts';
import { deploy, until } from './deployed.ts';
import { functionLogs } from './emulator/announced.ts';
import { configFor, expectLog, serve } from './stack-crawl.ts';

const folder = process.env.STRAND_FIGURES;

test.skipIf(!folder)(
  'what a crawl of 30 hosts costs, and the times of a deployment',
  async () => {
    const seconds = async (work: () => Promise<unknown>) => {
      const from = Date.now();
      await work();
      return Math.round((Date.now() - from) / 100) / 10;
    };
    let deployed!: Awaited<ReturnType<typeof deploy>>;
    const first = await seconds(async () => {
      deployed = await deploy();
    });
    const update = await seconds(() => deployed.update({}));
    const features = { ...PLAIN, robots: true, redirects: true, errors: true, duplicates: true, slow: true };
    const web = await serve('127.77.0.9', { seed: 41, hosts: 30, pagesPerHost: 48, features });
    try {
      const from = Date.now();
      await deployed.call('POST', '/crawls', { crawl: 'web', seeds: web.seeds, config: configFor(web) });
      // Not by the API: its answers cost the crawl, too.
      const { registry } = deployed.stack.engine;
      await until(async () => (await registry.load('web'))?.status === 'finished', 'the end', 900_000);
      expectLog(web);
      const crawl = Math.round((Math.max(...web.log.map(({ endedAt }) => endedAt)) - from) / 1000);
      mkdirSync(folder as string, { recursive: true });
      const write = (name: string, value: unknown) =>
        writeFileSync(join(folder as string, name), JSON.stringify(value));
      write('totals.json', await registry.totals('web'));
      write('calls.json', callsIn(functionLogs()));
      const destroy = await seconds(() => deployed.destroy());
      console.log({ requests: web.log.length, seconds: { first, update, crawl, destroy } });
    } finally {
      await web.stop();
      await deployed.destroy();
    }
  },
  1_500_000,
);

/** Calls by kind, as the functions have logged them. */
function callsIn(logs: string | undefined): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const file of logs ? readdirSync(logs, { recursive: true, encoding: 'utf8' }) : []) {
    if (!file.endsWith('.log')) continue;
    for (const line of readFileSync(join(logs as string, file), 'utf8').split('\n')) {
      const at = line.indexOf('{"level":"info","calls"');
      if (at < 0) continue;
      const { calls } = JSON.parse(line.slice(at)) as { calls: Record<string, number> };
      for (const [name, count] of Object.entries(calls)) sums[name] = (sums[name] ?? 0) + count;
    }
  }
  return sums;
}
