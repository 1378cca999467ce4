/**
 * The cost of rendered pages on a stack: the function that renders pages, as a process with its own browser, and the meter of
 * its caller. Lambda gives a function of its memory a share of a CPU: what each round takes of one counts as much longer.
 *
 *     npm run bench -- render-stack [PAGES]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Renderer } from '../../shared/crawler/ports/renderer.ts';
import { costOf, type LineItem, priceOf } from '../../shared/engines/aws/cost/prices.ts';
import { createInvokedRenderer } from '../../shared/engines/aws/invoke-renderer.ts';
import { RENDERER_MEMORY_MB, X86_FACTOR } from '../../shared/engines/aws/renderer-size.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import { openRendererFunction } from '../../test/functions/renderer-function.ts';
import { createPartFetcher, findLinks } from '../../test/web/scripted/render-page.ts';
import { siteOf } from '../../test/web/scripted/site.ts';
import type { BenchOptions } from '../claims.ts';
import type { Measured } from '../harness/record.ts';
import { treeUse } from './render/process-tree.ts';
import { usualPages } from './render/usual-pages.ts';

const PAGES = 64;
/** Lambda: a whole CPU at 1,769 MB (developer guide, memory). */
const CPU_SHARE = RENDERER_MEMORY_MB / 1769;

interface Use {
  rounds: number;
  ms: number;
  cpuMs: number;
}

export async function measure({ words }: BenchOptions): Promise<Measured> {
  const count = Number(words[0] ?? PAGES);
  const server = fork(new URL('./render/site-process.ts', import.meta.url));
  const [ports] = await once(server, 'message');
  const site = siteOf(ports);
  const parts = createPartFetcher();
  const lambda = await openRendererFunction();
  const metered: Partial<Record<LineItem, number>> = {};
  const use: Use = { rounds: 0, ms: 0, cpuMs: 0 };
  const renderer: Renderer = createInvokedRenderer({
    clock: systemClock,
    meter: () => ({
      add: (item: LineItem, units: number) => {
        metered[item] = (metered[item] ?? 0) + units;
      },
    }),
    async invoke(message) {
      const startedAt = performance.now();
      const cpuMs = treeUse(process.pid, server.pid).cpuMs;
      const reply = await lambda.invoke(message);
      use.rounds++;
      use.ms += performance.now() - startedAt;
      use.cpuMs += treeUse(process.pid, server.pid).cpuMs - cpuMs;
      return reply;
    },
  });
  let found = 0;
  const failed: string[] = [];
  /** The quickest rendering of each page, in MB times ms. */
  const quickest = new Map<string, { readonly mbMs: number; readonly rounds: number }>();
  for (const page of usualPages(site, count)) {
    const before = { ...use };
    const rendered = await findLinks(renderer, site, page, { fetchPart: parts.fetchPart, behaves: true });
    found += rendered.found;
    const slower = (use.cpuMs - before.cpuMs) * (1 / CPU_SHARE - 1);
    const mbMs = X86_FACTOR * (use.ms - before.ms + slower) * RENDERER_MEMORY_MB;
    const known = quickest.get(page.name);
    if (known === undefined || mbMs < known.mbMs)
      quickest.set(page.name, { mbMs, rounds: use.rounds - before.rounds });
    if (rendered.rendering.state !== 'rendered') failed.push(`${page.name}: ${rendered.rendering.detail}`);
  }
  server.disconnect();
  await Promise.all([lambda.close(), parts.close()]);
  const asMetered = perMillion(metered, count);
  // All that is not CPU takes the same time there.
  const slowerMs = use.cpuMs * (1 / CPU_SHARE - 1);
  const onLambda = {
    ...metered,
    lambdaMbMs: (metered.lambdaMbMs ?? 0) + X86_FACTOR * slowerMs * RENDERER_MEMORY_MB,
  };
  return {
    figures: {
      dollarsPerMillion: {
        value: perMillion(onLambda, count),
        unit: `$ for a million rendered pages, with ${CPU_SHARE.toFixed(2)} of a CPU`,
      },
      dollarsQuickest: {
        value: perMillion(
          {
            lambdaMbMs: quickest.values().reduce((sum, { mbMs }) => sum + mbMs, 0),
            lambdaRequests: quickest.values().reduce((sum, { rounds }) => sum + rounds, 0),
          },
          quickest.size,
        ),
        unit: '$ by the quickest rendering of each page',
      },
      dollarsAsMetered: { value: asMetered, unit: '$ with a whole CPU, as here' },
      roundsPerPage: { value: use.rounds / count, unit: 'rounds a page' },
      msPerRound: { value: use.ms / use.rounds, unit: 'ms a round' },
      cpuMsPerRound: { value: use.cpuMs / use.rounds, unit: 'ms of CPU of it' },
    },
    detail: [`${found} links of ${count} pages`, ...failed].join('\n'),
    hasFailed: failed.length > 0,
  };
}

const perMillion = (usage: Partial<Record<LineItem, number>>, pages: number): number =>
  (costOf(usage, priceOf('us-east-1')).total / pages) * 1e6;
