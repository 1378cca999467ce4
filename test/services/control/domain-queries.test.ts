import { describe, expect, test } from 'vitest';
import { domainsText } from '../../../cli/stack-text.ts';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { periodAt } from '../../../shared/core/frontier/domain-state.ts';
import { type Head, NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { NO_TOTALS } from '../../../shared/core/frontier/host-totals.ts';
import { linkerHash, sketchOf } from '../../../shared/core/frontier/linker-sketch.ts';
import { pageOfDomains } from '../../../shared/services/control/domain-queries.ts';

const NOW = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;

const host = (name: string) => ({ host: name, head: NEW_HEAD });
const domain = (name: string, granted: number, linkers: number) => ({
  host: `@${name}`,
  head: {
    ...NEW_HEAD,
    domain: {
      hosts: 'AAAABBBB',
      granted: { [periodAt(name, NOW, DAY)]: granted },
      linkers: sketchOf(Array.from({ length: linkers }, (_, i) => linkerHash(`d${i}.test`))),
      writer: 'w',
    },
  } satisfies Head,
});

/** Asks for the domains of these heads, a page of `limit` heads at a time. */
function asked(heads: readonly { readonly host: string; readonly head: Head }[], linking = {}) {
  const ledgers = {
    hostPage: async (_: string, cursor = '0', limit: number) => {
      const end = Number(cursor) + limit;
      return { hosts: heads.slice(Number(cursor), end), ...(end < heads.length && { cursor: String(end) }) };
    },
  };
  const registry = { totals: async () => ({ ...NO_TOTALS, linking }) as never };
  return {
    ledgers,
    registry,
    crawl: 'c',
    config: parseConfig({ scope: 'any', domainBudget: 'links:10' }),
    now: NOW,
  };
}

describe('domains of a crawl', () => {
  test('have their budgets as they are now, their hosts, and how many domains link to them', async () => {
    const heads = [host('a.org'), domain('a.org', 4, 8), host('b.org'), domain('b.org', 0, 0)];
    const page = await pageOfDomains(asked(heads, { 2: 50 }), {});
    expect(page).toMatchObject({
      medianLinkers: 2,
      domains: [
        { domain: 'a.org', budget: 20, granted: 4, hosts: 2, maxHosts: 1000, linkers: 8 },
        { domain: 'b.org', budget: 10, granted: 0, linkers: 0 },
      ],
    });
    const text = domainsText(page, { dir: 'crawl' });
    expect(text).toMatch(/a\.org +4 +20 +2 +1,000 +8\n/);
    expect(text).toContain('2 domains linking to the median domain');
  });

  test('are found behind many hosts, page by page', async () => {
    const heads = [
      ...Array.from({ length: 30 }, (_, i) => host(`h${i}.org`)),
      domain('a.org', 1, 1),
      host('z.org'),
    ];
    const first = await pageOfDomains(asked(heads), { limit: 2 });
    expect(first.domains.map((entry) => entry.domain)).toEqual(['a.org']);
    const none = await pageOfDomains(asked(heads.slice(0, 30)), { limit: 1 });
    expect(none.domains).toEqual([]);
    expect(none.cursor).toBe('20');
    expect(domainsText(none, { dir: 'crawl' }, 1)).toContain('--domains --limit 1 --cursor 20');
    await expect(pageOfDomains(asked(heads), { limit: 0 })).rejects.toThrow('Expected limit from 1 to 1000');
  });
});
