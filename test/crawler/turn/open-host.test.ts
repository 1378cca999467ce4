/** Hosts that a crawl meets for the first time: whether their domain has room for them, and what it learns of them. */
import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { openedCheck, openedHosts, periodAt, withHost } from '../../../shared/core/frontier/domain-state.ts';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { countLinkers, linkerHash, sketchOf } from '../../../shared/core/frontier/linker-sketch.ts';
import type { Link } from '../../../shared/core/frontier/message.ts';
import type { DomainFacts } from '../../../shared/crawler/turn/links/domain-heads.ts';
import { openHost } from '../../../shared/crawler/turn/open-host.ts';
import { T0 } from '../worker/fake-clock.ts';
import { CRAWL_ID, driven, link, openTurn } from './turn-bench.ts';
import { HOST } from './turn-fakes.ts';

const DAY = 86_400_000;
const linkedFrom = (...domains: string[]) => ({ linkers: sketchOf(domains.map(linkerHash)) });

interface Situation {
  readonly config?: CrawlOptions;
  /** Hosts of the domain that are open. */
  readonly opened?: readonly string[];
  readonly granted?: number;
  readonly links?: readonly Link[];
  readonly counts?: Partial<(typeof NEW_HEAD)['ledger']['counts']>;
  readonly isKeepingSkips?: boolean;
}

async function open(situation: Situation = {}) {
  const { config, opened = [], granted, links = [link('/1'), link('/2')], isKeepingSkips = true } = situation;
  const noted: unknown[] = [];
  const turn = await openTurn({
    config: { scope: 'any', domainBudgetEveryMs: DAY, ...config },
    ...(isKeepingSkips && {
      optional: {
        skips: {
          note: (crawl: string, skip: object) => void noted.push({ crawl, ...skip }),
          async makeDurable(crawl: string) {
            await new Promise((resolve) => setImmediate(resolve));
            noted.push(`durable ${crawl}`);
          },
        },
      } as never,
    }),
  });
  const { services, parts } = turn;
  const { domains, engine } = services;
  const period = periodAt(HOST, T0, DAY);
  if (opened.length > 0 || granted !== undefined)
    await domains.change(CRAWL_ID, HOST, (before) => ({
      state: {
        ...opened.reduce<DomainFacts>((state, host) => withHost(state, host), before),
        ...(granted !== undefined && { granted: { [period]: granted } }),
      },
      result: undefined,
    }));
  const { counts } = NEW_HEAD.ledger;
  const head = { ...NEW_HEAD, ledger: { ...NEW_HEAD.ledger, counts: { ...counts, ...situation.counts } } };
  const opening = await driven(turn, openHost(services, parts.crawl, head, links));
  const state = await domains.load(CRAWL_ID, HOST);
  const stored = await engine.ledgers.loadHead(CRAWL_ID, `@${HOST}`);
  return {
    opening,
    state,
    noted,
    period,
    skipped: stored?.totals.skipped ?? {},
    isStored: stored !== undefined,
  };
}

describe('a host of a domain', () => {
  test('that has room for it is opened, and the domain knows it', async () => {
    const { opening, state, noted, skipped } = await open({
      config: { maxHostsPerDomain: 2, domainBudget: 'off' },
      opened: ['x.a.test'],
    });
    expect(opening).toEqual({ isOpen: true });
    expect(openedHosts(state)).toBe(2);
    expect(openedCheck(state)(HOST)).toBe(true);
    expect([noted, skipped]).toEqual([[], {}]);
  });

  test('that is full is not: its links are counted, and noted each by each before the turn goes on', async () => {
    const via = 'http://b.test/';
    const { opening, state, noted, skipped } = await open({
      config: { maxHostsPerDomain: 2 },
      opened: ['x.a.test', 'y.a.test'],
      links: [link('/1', { via }), link('/2', { via })],
    });
    expect(opening).toEqual({ isOpen: false });
    expect(openedHosts(state)).toBe(2);
    expect(openedCheck(state)(HOST)).toBe(false);
    expect(skipped).toEqual({ hostsPerDomain: 2 });
    expect(noted).toEqual([
      { crawl: CRAWL_ID, url: 'http://a.test/1', reason: 'hostsPerDomain', via },
      { crawl: CRAWL_ID, url: 'http://a.test/2', reason: 'hostsPerDomain', via },
      `durable ${CRAWL_ID}`,
    ]);
  });

  test('that is full may be opened when another one has made room, and is judged again each time', async () => {
    const config: CrawlOptions = { scope: 'any', maxHostsPerDomain: 1, domainBudget: 'off' };
    const turn = await openTurn({ config });
    const { domains } = turn.services;
    const hosts = (text: string) =>
      domains.change(CRAWL_ID, HOST, (state) => ({ state: { ...state, hosts: text }, result: undefined }));
    const opened: boolean[] = [];
    for (const text of ['AAAA', '', 'AAAA']) {
      await hosts(text);
      const { isOpen } = await openHost(turn.services, turn.parts.crawl, NEW_HEAD, [link('/1')]);
      opened.push(isOpen);
    }
    expect(opened).toEqual([false, true, false]);
  });

  test('is counted alone where the engine keeps no skipped links', async () => {
    const { opening, skipped, noted } = await open({
      config: { maxHostsPerDomain: 1 },
      opened: ['x.a.test'],
      isKeepingSkips: false,
    });
    expect([opening, skipped, noted]).toEqual([{ isOpen: false }, { hostsPerDomain: 2 }, []]);
  });

  test.each<[string, Situation]>([
    ['one of its links is a seed', { links: [link('/1'), link('/2', { isSeed: true })] }],
    ['it is open already, and its head was lost', { opened: [HOST, 'x.a.test'] }],
  ])('that is full is opened all the same if %s', async (_why, situation) => {
    const config = { maxHostsPerDomain: 1, domainBudget: 'off' } as const;
    const { opening, skipped, state } = await open({ config, opened: ['x.a.test'], ...situation });
    expect(opening).toEqual({ isOpen: true });
    expect(skipped).toEqual({});
    expect(openedHosts(state)).toBe(2);
  });

  test.each<[string, Situation]>([
    ['the crawl knows a URL of it', { counts: { waiting: 1 } }],
    ['the crawl knows a URL of it that is gone', { counts: { gone: 1 } }],
    ['no link leads to it', { links: [] }],
    ['the crawl has no such limit', { config: { maxHostsPerDomain: 'off' } }],
  ])('is open, and its domain is not asked, if %s', async (_why, situation) => {
    const { opening, isStored } = await open({ config: { maxHostsPerDomain: 1 }, ...situation });
    expect(opening).toEqual({ isOpen: true });
    expect(isStored).toBe(false);
  });

  test('in a crawl of one host, which has no such limits, is open', async () => {
    const { opening, isStored } = await open({ config: { scope: 'host' } });
    expect([opening, isStored]).toEqual([{ isOpen: true }, false]);
  });
});

describe('the first pages of a host that is opened', () => {
  test('are granted from the budget of its domain: as many as there are links to pages', async () => {
    const links = [link('/1'), link('/2'), link('/3.png', { kind: 'requisite' })];
    const { opening, state, period } = await open({ config: { domainBudget: 100 }, links });
    expect(opening).toEqual({ isOpen: true, share: { period, left: 2 } });
    expect(state.granted).toEqual({ [period]: 2 });
    expect(openedCheck(state)(HOST)).toBe(true);
  });

  test.each([
    ['what is left of it', 99, 1, false],
    ['none if it is used up, and the head says so', 100, 0, true],
  ])('are %s', async (_what, granted, left, isOut) => {
    const { opening, state, period } = await open({ config: { domainBudget: 100 }, granted });
    expect(opening).toEqual({ isOpen: true, share: { period, left, ...(isOut && { isOut: true }) } });
    expect(state.granted).toEqual({ [period]: 100 });
  });

  test.each<[string, Situation]>([
    ['its domain has no budget', { config: { domainBudget: 'off' } }],
    ['only parts of pages are linked', { links: [link('/3.png', { kind: 'requisite' })] }],
  ])('are not counted if %s', async (_why, situation) => {
    const { opening, state } = await open({ config: { domainBudget: 100 }, ...situation });
    expect(opening).toEqual({ isOpen: true });
    expect(state.granted).toEqual({});
  });

  test('are as many as the domain’s own budget allows', async () => {
    const config = { domainBudget: 100, domainBudgets: { [HOST]: 1 } };
    const { opening, period } = await open({ config });
    expect(opening).toEqual({ isOpen: true, share: { period, left: 1 } });
  });
});

describe('the domains that link to a host', () => {
  const links = [link('/1', linkedFrom('x.test', 'y.test')), link('/2', linkedFrom('y.test', 'z.test'))];

  test.each<[string, Situation, boolean]>([
    ['that is opened', {}, true],
    ['for which there is no room', { config: { maxHostsPerDomain: 1 }, opened: ['x.a.test'] }, false],
    ['that the crawl knows', { counts: { fetched: 3 } }, true],
    ['of a crawl without such a limit', { config: { maxHostsPerDomain: 'off' } }, true],
  ])('%s are learned by its domain, each once', async (_what, situation, isOpen) => {
    const { opening, state } = await open({ ...situation, links });
    expect(opening.isOpen).toBe(isOpen);
    expect(countLinkers(state.linkers ?? '')).toBe(3);
  });

  test('let its budget grow, from these links on', async () => {
    const many = Array.from({ length: 64 }, (_, i) => `d${i}.test`);
    const config = { domainBudget: 'links:20' } as const;
    const few = await open({ config, links: [link('/1'), link('/2'), link('/3')] });
    const more = await open({ config, links: [link('/1', linkedFrom(...many)), link('/2'), link('/3')] });
    expect(few.opening.share?.left).toBe(1);
    expect(more.opening.share?.left ?? 0).toBeGreaterThan(1);
  });
});
