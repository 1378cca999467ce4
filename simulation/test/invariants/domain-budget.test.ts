import { describe, expect, test } from 'vitest';
import { periodAt, periodEnd } from '../../../shared/core/frontier/domain-state.ts';
import { domainBudget } from '../../invariants/domain-budget.ts';
import { T0 } from '../../models/virtual-time.ts';
import type { WebRequest } from '../../worlds/spec.ts';
import { crawlFacts, makeFacts, RECORDS, request, struck, urlRecord } from './made-facts.ts';

describe('domainBudget', () => {
  const EVERY_S = 600;
  const config = { domainBudget: 10, domainBudgetEveryMs: EVERY_S * 1000, maxHostsPerDomain: 2 };
  const period = periodAt('a.test', T0, EVERY_S * 1000);
  const beginS = (periodEnd('a.test', period, EVERY_S * 1000) - T0) / 1000;
  /** Requests for pages of a domain's two hosts, a second apart, from the begin of a period on. */
  const requests = (count: number, from = beginS) =>
    Array.from({ length: count }, (_, i) => {
      const url = `http://${i % 2 ? 'a.test' : 'x.a.test'}/${i}`;
      return request(url, from + i, from + i + 0.1);
    });
  const found = (log: ReturnType<typeof requests>, strikes = struck()) =>
    domainBudget(makeFacts({ crawls: [crawlFacts(RECORDS, { config })], log, strikes }), {
      isOfRobots: ({ isRobots }: WebRequest) => isRobots,
    } as never);

  test('a domain may have a tenth more requests than its budget, and one for each of its hosts', () => {
    expect(found(requests(13))).toEqual([]);
    expect(found(requests(14)).map(({ message }) => message)).toEqual([
      `crawl: a.test had 14 requests for pages in period ${period + 1}, from T0+${beginS.toFixed(3)} s on; expected at most 13 with a budget of 10`,
    ]);
    expect(found([...requests(13), ...requests(13, beginS + EVERY_S)])).toEqual([]);
  });

  test('turns that were discarded may have made two requests of each host again', () => {
    expect(found(requests(17), struck('pageHarms'))).toEqual([]);
    expect(found(requests(18), struck('pageHarms'))).toHaveLength(1);
  });

  test('a clock that was set excuses it; where clocks differ, requests near a begin or an end do not count', () => {
    expect(found(requests(14), struck('clockStepped')).map(({ excuse }) => excuse)).toEqual(['wrongClock']);
    expect(found(requests(18), struck('clockSkew'))).toEqual([]);
    expect(found(requests(19), struck('clockSkew'))).toHaveLength(1);
  });

  test('no more hosts of a domain are visited than allowed, those of seeds aside', () => {
    const hostsOf = (...names: string[]) =>
      domainBudget(
        makeFacts({
          crawls: [
            crawlFacts([...RECORDS, ...names.map((name) => urlRecord(`http://${name}/`, 'waiting'))], {
              config,
            }),
          ],
        }),
        { isOfRobots: () => true } as never,
      ).map(({ message }) => message);
    expect(hostsOf('x.a.test', 'y.a.test')).toEqual([]);
    expect(hostsOf('x.a.test', 'y.a.test', 'z.a.test')).toEqual([
      "crawl: 3 hosts of a.test were opened that are no seeds', expected at most 2",
    ]);
  });
});
