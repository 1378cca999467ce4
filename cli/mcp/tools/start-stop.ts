import { z } from 'zod';
import { tool } from '../tool.ts';
import { ToolError } from '../tool-error.ts';
import { readUrl, urlField } from './fields.ts';

const DAY_MS = 86_400_000;
const UNITS = { h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS };

export const startCrawl = tool({
  name: 'start_crawl',
  title: 'Start a crawl',
  description:
    "Begins a crawl within the operator's bounds, and returns at once; see crawl_status. For single pages, use read_page.",
  kind: 'begin',
  input: z.strictObject({
    url: urlField,
    max_pages: z.int().min(1).max(1_000_000),
    scope: z.enum(['prefix', 'host', 'domain']).default('host'),
    every: z
      .string()
      .regex(/^\d{1,3}[hdw]$/)
      .optional()
      .describe('Fetch all again: 12h, 1d, 1w.'),
  }),
  output: z.object({ crawl: z.string(), maxPages: z.int(), minutes: z.int(), dollars: z.number() }),
  async run({ url: text, max_pages: maxPages, scope, every }, { session: { starts, hosts, live } }) {
    if (starts === undefined) throw readOnly();
    const url = readUrl(text);
    await hosts.check(url);
    if (scope === 'domain') await hosts.checkDomain(url);
    await live.check(url);
    const begun = await starts.begin({ url, maxPages, scope, everyMs: durationOf(every) });
    return { ...begun };
  },
});

export const stopCrawl = tool({
  name: 'stop_crawl',
  title: 'Stop a crawl',
  description: 'Ends a crawl that start_crawl began; what it has stays.',
  kind: 'end',
  input: z.strictObject({ crawl: z.string().max(255) }),
  output: z.object({ crawl: z.string(), state: z.string(), pages: z.int() }),
  async run({ crawl }, { session: { starts } }) {
    if (starts === undefined) throw readOnly();
    return starts.stop(crawl);
  },
});

const readOnly = (): ToolError =>
  new ToolError(
    'readOnly',
    'This server begins no crawls. The operator can start it with --allow-crawls N, for N crawls a day.',
  );

function durationOf(every: string | undefined): number | undefined {
  if (every === undefined) return undefined;
  return Number(every.slice(0, -1)) * UNITS[every.at(-1) as keyof typeof UNITS];
}
