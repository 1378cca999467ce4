/**
 * The cost of a page, beside that of the last record: by counts, which hardly depend on the machine, and as ratios to
 * fixed work of the same process. Fails if a count is more than 2 % above the record, or, on such a machine, a ratio more
 * than 25 %.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LineItem } from '../../shared/engines/aws/cost/prices.ts';
import type { BenchOptions } from '../claims.ts';
import { type Figure, type Measured, median } from '../harness/record.ts';
import { lastRecord } from '../harness/records.ts';
import { withScratch } from '../harness/scratch.ts';
import { crawlMeasured } from '../harness/strand-run.ts';
import { surroundings } from '../harness/surroundings.ts';
import { type OpenWeb, openWeb } from '../harness/web/open-web.ts';
import { awsUsage } from './guard/aws-usage.ts';
import type { Counts } from './guard/counted-crawl.ts';
import { judgeFigures } from './guard/judge-figures.ts';

/** A single host: with several, it depends on the machine which links come together. */
const WEB = { hosts: 1, pages: 300, before: [] };

export async function measure({ rounds }: BenchOptions): Promise<Measured> {
  const web = await openWeb(WEB);
  try {
    const runs: Counts[] = [];
    for (let round = 0; round < rounds; round++)
      runs.push({
        ...(await countedCrawl(web, 'time')),
        ...(await countedCrawl(web, 'heap')),
        ...(await countedCrawl(web, 'calls')),
      });
    const of = (name: string, unit: string): Figure => ({
      value: median(runs.map((counts) => counts[name] as number)),
      unit,
    });
    const usage = await awsUsage();
    const aws = (item: LineItem, unit: string): Figure => ({
      value: usage[item] ?? 0,
      unit: `${unit} a page on a stack`,
    });
    const figures = {
      promises: of('promises', 'promises a page'),
      statements: of('statements', 'statements of SQLite a page'),
      boundBytes: of('boundBytes', 'bytes given to SQLite a page'),
      heapBytes: of('heapBytes', "bytes of V8's heap a page, the start with them"),
      modules: of('modules', 'modules of a crawl'),
      sqsFifoRequests: aws('sqsFifoRequests', 'requests to SQS FIFO'),
      sqsStandardRequests: aws('sqsStandardRequests', 'requests to SQS'),
      dynamoWriteUnits: aws('dynamoWriteUnits', 'write units of DynamoDB'),
      dynamoReadUnits: aws('dynamoReadUnits', 'read units of DynamoDB'),
      s3Puts: aws('s3Puts', 'PUTs of S3'),
      s3Gets: aws('s3Gets', 'GETs of S3'),
      crawlRatio: of('crawlRatio', 'x the fixed work, a crawl'),
      extractionRatio: of('extractionRatio', 'x the fixed work, the main content of pages'),
    };
    const record = lastRecord('guard');
    const isSameMachine = record?.machine === surroundings().machine;
    const { lines, hasFailed } = judgeFigures(figures, record?.figures ?? {}, isSameMachine);
    return { figures, detail: lines.join('\n'), hasFailed };
  } finally {
    await web.close();
  }
}

/** The counts of one crawl: by page, except for modules and ratios. */
function countedCrawl(web: OpenWeb, what: string): Promise<Counts> {
  return withScratch(async (folder) => {
    const [seeds, out] = [join(folder, 'seeds.txt'), join(folder, 'counts.json')];
    writeFileSync(seeds, `${web.seeds.join('\n')}\n`);
    const program = join(import.meta.dirname, 'guard/counted-crawl.ts');
    const command = [process.execPath, program, join(folder, 'crawl'), seeds, what, out];
    const { counts: seen } = await crawlMeasured(web, { command });
    const {
      modules = 0,
      crawlMs = 0,
      extractionMs = 0,
      fixedMs = 1,
      ...counts
    } = JSON.parse(readFileSync(out, 'utf8')) as Counts;
    const ratios = { crawlRatio: crawlMs / fixedMs, extractionRatio: extractionMs / fixedMs };
    const byPage = Object.entries(counts).map(([name, count]) => [name, count / seen.pages]);
    return { ...Object.fromEntries(byPage), modules, ...(what === 'time' && ratios) };
  });
}
