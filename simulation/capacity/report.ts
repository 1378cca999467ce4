/** A run's figures for people: text, a picture, and all of them as JSON. */
import { LINE_ITEMS } from '../../shared/engines/aws/cost/prices.ts';
import type { LimitUse } from './limits.ts';
import { drawPicture } from './picture.ts';
import { type Run, type Sample, WINDOW_MS } from './run.ts';
import type { Spread, Summary } from './summary.ts';
import type { UnitFigures } from './unit-figures.ts';

/** Three digits that count, thousands parted. */
export function rounded(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 6 });
}

export function reportText(run: Run, summary: Summary): string {
  const { options, plan } = run;
  const { full, measured } = summary;
  const special = Object.entries(run.specialPages);
  return [
    `${rounded(options.hosts)} hosts, ${rounded(options.pagesPerSecond)} pages/s requested, ${options.hours} virtual hours, seed ${options.seed}, ${special.length === 0 ? 'no special host' : special.map(([host, pages]) => `${host}: ${pages} pages`).join(', ')}`,
    `Simulated at 1/${options.scale}: ${rounded(plan.hosts)} hosts, ${plan.workers} workers, ${plan.queues} turn queue(s) of ${rounded(plan.queueLimit)} messages that represent ${options.queues} of 120,000. The full size would take hours of CPU.`,
    'What all hosts share (queues, tables, prefixes, concurrency) is as many times smaller, so the same limit is met first; what a',
    'host or a worker is by itself (its pace, hosts to a worker, its CPU, sizes of messages) is as it is. "Full" is what was measured times the scale.',
    '',
    `The steady state begins after ${rounded(run.steadyFromMs / 60_000)} minutes; nine tenths of its rate were reached after ${rounded(full.rampSeconds! / 60)} minutes.`,
    '',
    table(
      ['steady state', 'full', 'measured'],
      Object.keys(measured).map((name) => [words(name), rounded(full[name]!), rounded(measured[name]!)]),
    ),
    '',
    table(
      ['', ''],
      Object.keys(full)
        .filter((name) => !(name in measured))
        .map((name) => [words(name), rounded(full[name]!)]),
    ),
    '',
    'What limits first:',
    limitTable(summary.limits),
    '',
    `Hottest keys: ${Object.entries(summary.hot)
      .map(([name, key]) => `${name} \`${key}\``)
      .join('; ')}`,
    '',
    'Dollars for a million pages, list prices of us-east-1:',
    table(
      ['line item', 'units a page', '$ a million pages'],
      [
        ...LINE_ITEMS.map((item) => [
          item,
          rounded(summary.unitsPerPage[item]),
          summary.dollarsPerMillion[item].toFixed(3),
        ]),
        ['all', '', summary.dollarsPerMillion.all.toFixed(3)],
      ],
    ),
    '',
    special.length === 0
      ? 'How long hosts waited beyond their pause:'
      : 'How long the other hosts waited beyond their pause:',
    table(
      ['', 'times', 'mean', 'p50', 'p99', 'max'],
      [
        spreadRow('within a turn, ms', summary.waits.within),
        spreadRow('between turns, ms', summary.waits.between),
        spreadRow('pages of a host', summary.waits.pagesPerHost),
      ],
    ),
    '',
    `${run.failures.length} failures of functions; ${rounded(run.realMs / 1000)} s of real time, ${rounded(run.peakRssBytes / 2 ** 20)} MB.`,
    ...[...new Set(run.failures.map(({ message }) => message))].slice(0, 5).map((message) => `  ${message}`),
    '',
  ].join('\n');
}

const limitTable = (limits: readonly LimitUse[]): string =>
  table(
    ['use', 'used', 'peak', 'allowed', 'limit'],
    limits.map(({ share, used, peak, allowed, name, unit }) => [
      `${(share * 100).toFixed(share < 0.1 ? 2 : 0)} %`,
      rounded(used),
      rounded(peak),
      rounded(allowed),
      `${name}, ${unit}`,
    ]),
  );

const spreadRow = (name: string, { count, mean, p50, p99, max }: Spread): string[] => [
  name,
  ...[count, mean, p50, p99, max].map(rounded),
];

/** `pagesPerSecond` as `pages per second`. */
const words = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, i) => Math.max(...all.map((row) => (row[i] ?? '').length)));
  const isText = (i: number) => rows.every((row) => !/^[-\d.,]+( %)?$/.test(row[i] ?? ''));
  return all
    .map((row) =>
      `  ${row.map((cell, i) => (isText(i) ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ')}`.trimEnd(),
    )
    .filter((line) => line !== '')
    .join('\n');
}

/** Each minute's mean, of the full world. */
export function reportPicture({ options, samples, plan }: Run): string {
  const { scale } = options;
  const perMinute = 60_000 / WINDOW_MS;
  const starts = Array.from({ length: Math.floor(samples.length / perMinute) }, (_, i) => i * perMinute);
  const means = (of: (sample: Sample) => number) =>
    starts.map(
      (from) =>
        (samples.slice(from, from + perMinute).reduce((sum, sample) => sum + of(sample), 0) / perMinute) *
        scale,
    );
  const rate = (of: (sample: Sample) => number) => means(of).map((value) => (value * 1000) / WINDOW_MS);
  const sum = (name: string) => (sample: Sample) => sample.sums[name] ?? 0;
  const units = (kind: string) => (sample: Sample) =>
    sum(`units CrawlState ${kind}`)(sample) + sum(`units UrlSeen ${kind}`)(sample);
  return drawPicture({
    title: `A crawl of ${options.hosts.toLocaleString('en-US')} hosts by ${(plan.workers * scale).toLocaleString('en-US')} workers`,
    subtitle: `simulated at 1/${scale} (${plan.hosts.toLocaleString('en-US')} hosts) and multiplied; ${options.queues} turn queues, ${options.hostsPerWorker} hosts a worker, ${options.memoryMb.toLocaleString('en-US')} MB`,
    minutes: starts.map((from) => from / perMinute + 1),
    panels: [
      {
        title: 'Rate',
        unit: 'a second',
        lines: [
          { label: 'pages', values: rate(({ pages }) => pages) },
          { label: 'turns', values: rate(({ turns }) => turns) },
        ],
      },
      {
        title: 'Functions at once',
        unit: 'invocations',
        lines: [
          { label: 'workers', values: means(({ workers }) => workers) },
          { label: 'routers', values: means(({ routers }) => routers) },
        ],
      },
      {
        title: 'Turn queues',
        unit: 'messages, all queues',
        lines: [
          { label: 'waiting', values: means(({ waiting }) => waiting) },
          { label: 'in flight', values: means(({ inFlight }) => inFlight) },
        ],
      },
      {
        title: 'Messages to hosts',
        unit: 'a second',
        lines: [
          { label: 'sent', values: rate(sum('messages turns Send')) },
          { label: 'deleted', values: rate(sum('messages turns Delete')) },
        ],
      },
      {
        title: 'DynamoDB',
        unit: 'units a second, both tables',
        lines: [
          { label: 'written', values: rate(units('write')) },
          { label: 'read', values: rate(units('read')) },
        ],
      },
    ],
  });
}

/** All that another program may want to know, minute by minute too. */
export function reportJson(run: Run, summary: Summary, figures: UnitFigures): string {
  const { samples, waits: _waits, failures, ...rest } = run;
  const { scale } = run.options;
  const perMinute = 60_000 / WINDOW_MS;
  const byMinute = Array.from({ length: Math.floor(samples.length / perMinute) }, (_, i) => {
    const minute = samples.slice(i * perMinute, (i + 1) * perMinute);
    const rate = (of: (sample: Sample) => number) =>
      (minute.reduce((sum, sample) => sum + of(sample), 0) / 60) * scale;
    const { workers, waiting, inFlight } = minute.at(-1) as Sample;
    return {
      minute: i + 1,
      pagesPerSecond: rate(({ pages }) => pages),
      turnsPerSecond: rate(({ turns }) => turns),
      workers: workers * scale,
      waiting: waiting * scale,
      inFlight: inFlight * scale,
      sent: rate(({ sums }) => sums['messages turns Send'] ?? 0),
      deleted: rate(({ sums }) => sums['messages turns Delete'] ?? 0),
      wakeUps: rate(({ sums }) => sums['sent wake'] ?? 0),
    };
  });
  const { full, measured, limits, ...others } = summary;
  const limitsOf = limits.map(({ id, used, peak, allowed, share }) => ({ id, used, peak, allowed, share }));
  return `${JSON.stringify(
    {
      full,
      measured,
      limits: limitsOf,
      ...others,
      byMinute,
      run: { ...rest, failures: failures.length },
      unitFigures: figures,
    },
    (_, value) => (typeof value === 'number' ? Number(value.toPrecision(6)) : value),
    2,
  )}\n`;
}
