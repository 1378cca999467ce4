/** An estimate as a table for people. */

import type { Estimate } from '../api/estimate/estimate.ts';
import type { Course } from '../api/estimate/estimate-crawl.ts';
import type { LineItem } from '../shared/engines/aws/cost/prices.ts';
import {
  formatBytes,
  formatCount,
  formatCounted,
  formatDollars,
  formatDuration,
  formatRate,
} from './format.ts';

const ITEMS: readonly (readonly [title: string, ...of: (LineItem | 'logs' | 'api')[]])[] = [
  ['Lambda', 'lambdaMbMs', 'lambdaRequests'],
  ['SQS', 'sqsFifoRequests', 'sqsStandardRequests'],
  ['DynamoDB', 'dynamoWriteUnits', 'dynamoReadUnits'],
  ['S3 requests', 's3Puts', 's3Gets'],
  ['data out', 'dataOutBytes'],
  ['logs and metrics', 'logs'],
  ['API', 'api'],
];

const HOUR_MS = 3_600_000;
const COLUMNS = [24, 18];

export function estimateText(estimate: Estimate): string {
  const { shape, machine, stack, archiveBytes, stateBytes } = estimate;
  const { dollars } = stack;
  const row = (title: string, left: string, right: string) =>
    `  ${title.padEnd(COLUMNS[0]!)}${left.padEnd(COLUMNS[1]!)}${right}`.trimEnd();
  const both = (title: string, of: (course: Course) => string) => row(title, of(machine), of(stack));
  const dollarsOf = (items: readonly (keyof typeof dollars)[]) =>
    formatDollars(items.reduce((sum, item) => sum + dollars[item], 0));
  return [
    `${formatCounted(shape.pages, 'page')} of ${formatCounted(shape.hosts, 'host')}, ${formatDuration(shape.delayMs)} between two requests to a host${shape.adaptiveFactor > 0 ? ', longer if it is slow' : ''}`,
    ...sizesOf(estimate),
    '',
    row('', 'one machine', 'stack on AWS (list prices of us-east-1)'),
    both('time', ({ hours }) => duration(hours)),
    ...(shape.hosts > 1 && shape.spread === 'web'
      ? [both('  half of the pages', ({ hoursToHalf }) => duration(hoursToHalf))]
      : []),
    both('pages a second', ({ pagesPerSecond }) => formatRate(pagesPerSecond)),
    row('workers', '1', `${stack.workers.toFixed(1)}, ${stack.mostWorkers} at most`),
    row('archive', formatBytes(archiveBytes), formatBytes(archiveBytes)),
    row('state', formatBytes(stateBytes), formatBytes(stateBytes)),
    row(
      'dollars',
      '',
      `${formatDollars(dollars.total)}, ${formatDollars(stack.dollarsPerMillion)} for a million pages`,
    ),
    ...ITEMS.map(([title, ...items]) => row(`  ${title}`, '', dollarsOf(items))),
    row('storage, a month', '', formatDollars(stack.storageMonth)),
    row('to download the archive', '', formatDollars(stack.download)),
    '',
    'Other regions cost up to 1.7 times as much, Lambda mostly the same.',
    'An estimate: sites are slower, smaller or larger than assumed, and link to each other more or less.',
  ].join('\n');
}

function sizesOf({ shape, largestHost, middleHost }: Estimate): string[] {
  if (shape.hosts === 1) return [];
  if (shape.spread === 'even') return [`each host has ${formatCounted(largestHost, 'page')}`];
  return [
    `the largest host has ${formatCounted(largestHost, 'page')}, half of them have fewer than ${formatCount(middleHost)} (--even: all the same)`,
  ];
}

const duration = (hours: number): string => formatDuration(Math.max(1000, roundedMs(hours * HOUR_MS)));

/** To two digits: an estimate is not more exact. */
const roundedMs = (ms: number): number => Number(ms.toPrecision(2));
