/**
 * The cost of a crawl on AWS, as metered, for a million pages and by line item, compared with the assumptions
 * of the design's cost model; and calls of each kind for each page.
 *
 *     node bench/harness/aws-cost.ts TOTALS.json [CALLS.json] [REGION]
 *
 * TOTALS.json: a crawl's totals, with `pages` and `usage`. CALLS.json: counts by call, as `meter.takeCalls`
 * gives them.
 */
import { readFileSync } from 'node:fs';
import { costOf, LINE_ITEMS, priceOf, type Usage } from '../../shared/engines/aws/cost/prices.ts';

/**
 * For a million pages, by the cost model that the design was chosen with: variant "packed", a broad crawl of
 * 15 pages a turn, 10 hosts an invocation, 512 MB, 1.22 requests a page, 25.5 messages a turn of which a
 * receive brings 5, ledgers of 45 KB rewritten every 8 turns, links from elsewhere merged 4 at a time. It has
 * one kind of queue, and no S3 reads.
 */
const MODEL: Usage = {
  sqsFifoRequests: 850_000,
  sqsStandardRequests: 0,
  dynamoWriteUnits: 2_200_000,
  dynamoReadUnits: 1_275_000,
  s3Puts: 6_667,
  s3Gets: 0,
  lambdaRequests: 346_667,
  lambdaMbMs: 88.2e9,
  dataOutBytes: 3.416e9,
};

interface Totals {
  readonly pages: number;
  readonly usage: Usage;
}

function readTotals(file: string | undefined): Totals {
  if (!file)
    throw new Error('Expected a file with the totals of a crawl: node bench/harness/aws-cost.ts TOTALS.json');
  const { pages, usage } = JSON.parse(readFileSync(file, 'utf8'));
  if (!(pages > 0)) throw new Error(`Expected \`pages\` above 0 in ${file}, got ${pages}`);
  if (!usage) throw new Error(`Expected \`usage\` in ${file}: totals of a crawl that was metered`);
  return { pages, usage };
}

const [totalsFile, callsFile, region = 'us-east-1'] = process.argv.slice(2);
const { pages, usage } = readTotals(totalsFile);
const prices = priceOf(region);
const costs = costOf(usage, prices);
const model = costOf(MODEL, prices);
const perMillion = (dollars: number) => (dollars / pages) * 1e6;

console.log(
  `${pages} pages for $${costs.total.toFixed(4)} at list prices of ${prices.isExact ? region : 'us-east-1'}, ${prices.asOf}; ` +
    'storage, logs and idle pollers apart',
);
console.table(
  [
    ...LINE_ITEMS.map((item) => ({
      item: item as string,
      'units a page': (usage[item] ?? 0) / pages,
      'model: units a page': (MODEL[item] ?? 0) / 1e6,
      '$ per million pages': perMillion(costs.byItem[item]),
      'model: $ per million pages': model.byItem[item],
    })),
    {
      item: 'all',
      '$ per million pages': perMillion(costs.total),
      'model: $ per million pages': model.total,
    },
  ].map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [key, typeof value === 'number' ? rounded(value) : value]),
    ),
  ),
);

if (callsFile) {
  const calls: Record<string, number> = JSON.parse(readFileSync(callsFile, 'utf8'));
  const rows = Object.entries(calls).sort(([, a], [, b]) => b - a);
  console.table(rows.map(([call, count]) => ({ call, 'a page': rounded(count / pages) })));
}

/** Three digits that count. */
function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
