/**
 * How fresh a crawl keeps its copies: Strand's policy beside those of other crawlers, on a web whose changes are
 * known. 20,000 pages, 90 virtual days, of which the last 60 count; each policy has the same budget of fetches and
 * begins without knowledge, unless its rates are said to be known.
 *
 *     npm run bench -- recrawl
 */

import { randomOf } from '../../simulation/models/random.ts';
import type { BenchOptions } from '../claims.ts';
import type { Measured } from '../harness/record.ts';
import { bounded, type ChangingWeb, createChangingWeb, normal } from './recrawl/changing-web.ts';
import { lambdaCrawl, proportional, thresholdKnown, uniform } from './recrawl/known-rates.ts';
import { createLimitedHosts } from './recrawl/limited-hosts.ts';
import type { Scores } from './recrawl/meter.ts';
import { measureNoise, NOISES, noiseOf } from './recrawl/noisy-site.ts';
import { nutch, runPeer, stormCrawler } from './recrawl/peers.ts';
import { runPolicy } from './recrawl/run-policy.ts';

const PAGES = 20_000;
const LIMITED_HOSTS = 200;
const FEW_PAGES = 5_000;
const TEMPLATES = 20;
const TIGHT_SHARE = 0.05;
/** Fetches per page and day: that of Kolobov et al., and a tight one. */
const SHARES = [0.2, 0.05] as const;

interface Row {
  readonly name: string;
  readonly scores: Scores;
}

export async function measure(_: BenchOptions): Promise<Measured> {
  const budgets = SHARES.map((share, index) => {
    const web = createChangingWeb({ pages: PAGES, days: 90, warmUpDays: 30, seed: index + 1 });
    return { share, rows: policies(web, share * PAGES) };
  });
  const limited = limitedHosts();
  const noise = noisyPages();
  const templates = templatesOfSite();
  const equal = SHARES.map(equalPages);
  const each = <T>(of: (rows: readonly Row[]) => T): T[] => budgets.map(({ rows }) => of(rows));
  const used = budgets.map(({ share, rows }) => scoresOf(rows, LEARNED).fetchesPerDay / (share * PAGES));
  const figures = {
    learnedOfOptimum: {
      value: Math.min(...each((rows) => scoresOf(rows, LEARNED).fresh / scoresOf(rows, KNOWN).fresh)),
      unit: 'of the freshness that known rates reach',
    },
    pointsOverStormCrawler: {
      value: Math.min(...each((rows) => pointsOver(rows, 'StormCrawler'))),
      unit: 'points fresher than StormCrawler',
    },
    pointsOverNutch: {
      value: Math.min(...each((rows) => pointsOver(rows, 'Nutch'))),
      unit: 'points fresher than Nutch',
    },
    budgetUsed: {
      value: used.reduce((worst, one) => (Math.abs(one - 1) > Math.abs(worst - 1) ? one : worst)),
      unit: 'of the budget used',
    },
    costOfOptimum: {
      value: Math.max(...each((rows) => scoresOf(rows, LEARNED).cost / scoresOf(rows, KNOWN).cost)),
      unit: 'x the harmonic cost with known rates',
    },
    hostPricesFresh: { value: limited.ownPrices.fresh, unit: 'fresh with limited hosts at their own prices' },
    noiseBudget: { value: noise.text, unit: 'x the fetches if 30 % of pages have noise, by text digests' },
    payloadNoiseBudget: { value: noise.payload, unit: 'x by payload digests' },
    templateCost: {
      value: templates.cost,
      unit: 'x the harmonic cost, by priors of templates instead of the host',
    },
    onePriceFresh: { value: limited.onePrice.fresh, unit: 'fresh with limited hosts that queue' },
  };
  const tables = budgets.map(({ share, rows }) =>
    tableOf(rows, share * PAGES, `${share} fetches a page and day`),
  );
  return {
    figures,
    detail: [...tables, ...equal, limited.table, templates.table, noise.detail].join('\n\n'),
  };
}

const LEARNED = '**Strand, `changes`**';
const KNOWN = 'Strand, `changes`, rates known';

function policies(web: ChangingWeb, perDay: number): Row[] {
  const rows: Row[] = [];
  const add = (name: string, scores: Scores): number => rows.push({ name, scores });
  add('uniform', uniform(web, perDay));
  add('proportional to the change rate, known', proportional(web, perDay));
  const even = web.pages / perDay;
  // The first interval of Nutch is 30 days by default, which leaves most of a large budget unused.
  for (const [first, name] of [
    [30, '30 d'],
    [even, `${even} d`],
  ] as const)
    for (const order of ['due', 'importance'] as const)
      add(`Nutch, from ${name}, by ${order}`, runPeer(web, { rule: nutch, firstDays: first, perDay, order }));
  for (const order of ['due', 'importance'] as const)
    add(`StormCrawler, by ${order}`, runPeer(web, { rule: stormCrawler, firstDays: 1, perDay, order }));
  add('LambdaCrawl, rates known', lambdaCrawl(web, perDay));
  add('Strand, `freshness`, rates known', thresholdKnown(web, perDay, 'freshness'));
  add(KNOWN, thresholdKnown(web, perDay, 'changes'));
  add('Strand, `freshness`', runPolicy(web, { objective: 'freshness', perDay }));
  add(LEARNED, runPolicy(web, { objective: 'changes', perDay }));
  return rows;
}

/** Without what we know better than others: which pages are important. */
function equalPages(share: number): string {
  const web = createChangingWeb({ pages: FEW_PAGES, days: 90, warmUpDays: 30, seed: 1, isFlat: true });
  const perDay = share * FEW_PAGES;
  const rows: Row[] = [
    { name: 'uniform', scores: uniform(web, perDay) },
    {
      name: 'StormCrawler',
      scores: runPeer(web, { rule: stormCrawler, firstDays: 1, perDay, order: 'due' }),
    },
    { name: 'Strand, `freshness`', scores: runPolicy(web, { objective: 'freshness', perDay }) },
    { name: '**Strand, `changes`**', scores: runPolicy(web, { objective: 'changes', perDay }) },
  ];
  return tableOf(rows, perDay, `${share} fetches a page and day, all pages equally important`);
}

/** Hundreds of hosts, of which two in five allow less than their pages are worth. */
function limitedHosts() {
  const [share] = SHARES;
  const { web, hosts } = createLimitedHosts(LIMITED_HOSTS, share, 1);
  const perDay = share * web.pages;
  const run = (isKnown: boolean, isOnePrice: boolean): Scores =>
    runPolicy(web, { objective: 'changes', perDay, hosts, isKnown, isOnePrice });
  const [ownPrices, onePrice] = [run(false, false), run(false, true)];
  const rows: Row[] = [
    { name: 'one price, limited hosts queue, rates known', scores: run(true, true) },
    { name: 'own prices of limited hosts, rates known', scores: run(true, false) },
    { name: 'one price, limited hosts queue', scores: onePrice },
    { name: '**own prices of limited hosts**', scores: ownPrices },
  ];
  const title = `${LIMITED_HOSTS} hosts, two in five limited by politeness`;
  return { ownPrices, onePrice, table: tableOf(rows, perDay, title) };
}

/** A host whose templates change at rates of their own: lognormal with sigma 1.5, and the pages of one with 0.8. */
function templatesOfSite() {
  const random = randomOf('templates', 1);
  const rates = Array.from({ length: TEMPLATES }, () => 0.05 * Math.exp(1.5 * normal(random)));
  const templateOf = (page: number): number => page % TEMPLATES;
  const web = createChangingWeb({
    pages: FEW_PAGES,
    days: 90,
    warmUpDays: 10,
    seed: 1,
    rateOf: (page, own) => bounded((rates[templateOf(page)] as number) * Math.exp(0.8 * normal(own))),
  });
  const perDay = TIGHT_SHARE * FEW_PAGES;
  const run = (options: { isKnown?: boolean; templateOf?: (page: number) => number }): Scores =>
    runPolicy(web, { objective: 'changes', perDay, ...options });
  const [host, template] = [run({}), run({ templateOf })];
  const rows: Row[] = [
    { name: 'rates known', scores: run({ isKnown: true }) },
    { name: 'prior of the host', scores: host },
    { name: '**prior of the template**', scores: template },
  ];
  const title = `${TIGHT_SHARE} fetches a page and day, ${TEMPLATES} templates, from day 10 on`;
  return { cost: template.cost / host.cost, table: tableOf(rows, perDay, title) };
}

/** The fetches that noise on three pages of ten adds, at the price that fits the budget without noise. */
function noisyPages() {
  const [share] = SHARES;
  const web = createChangingWeb({ pages: FEW_PAGES, days: 90, warmUpDays: 30, seed: 1 });
  const { falseChanges, foundChanges } = measureNoise(1);
  const random = randomOf('seen', 1);
  const clean = runPolicy(web, { objective: 'changes', perDay: share * FEW_PAGES });
  const fetches = (seenChange?: (page: number, hasChanged: boolean) => boolean): number =>
    runPolicy(web, { objective: 'changes', perDay: share * FEW_PAGES, price: clean.price, seenChange })
      .fetchesPerDay;
  const without = fetches();
  const text = fetches((page, hasChanged) => {
    const noise = noiseOf(page);
    return (hasChanged && random() < foundChanges) || (noise !== undefined && random() < falseChanges[noise]);
  });
  const payload = fetches((page, hasChanged) => hasChanged || noiseOf(page) !== undefined);
  const kinds = NOISES.map((noise) => `${noise} ${(100 * falseChanges[noise]).toFixed(1)} %`).join(', ');
  return {
    text: text / without,
    payload: payload / without,
    detail:
      `Noise on 30 % of pages: text digests take ${(text / without).toFixed(2)} times the fetches, payload digests ` +
      `${(payload / without).toFixed(2)} times. Fetches of unchanged pages that seem to find a change: ${kinds}. ` +
      `Changes of one sentence that are found: ${(100 * foundChanges).toFixed(1)} %.`,
  };
}

function scoresOf(rows: readonly Row[], name: string): Scores {
  const row = rows.find((one) => one.name === name);
  if (!row) throw new Error(`Expected a row ${name}`);
  return row.scores;
}

/** Compared with the better one of the crawler's rows. */
const pointsOver = (rows: readonly Row[], crawler: string): number =>
  100 *
  (scoresOf(rows, LEARNED).fresh -
    Math.max(...rows.filter(({ name }) => name.startsWith(crawler)).map(({ scores }) => scores.fresh)));

const tableOf = (rows: readonly Row[], perDay: number, title: string): string =>
  [
    `| ${title} | fresh | harmonic cost | mean age, days | budget used |`,
    '|---|---:|---:|---:|---:|',
    ...rows.map(
      ({ name, scores: { fresh, cost, ageDays, fetchesPerDay } }) =>
        `| ${name} | ${fresh.toFixed(3)} | ${cost.toFixed(3)} | ${ageDays.toFixed(2)} | ${(fetchesPerDay / perDay).toFixed(3)} |`,
    ),
  ].join('\n');
