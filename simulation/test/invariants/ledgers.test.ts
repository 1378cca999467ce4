import { describe, expect, test } from 'vitest';
import type { Head } from '../../../shared/core/frontier/head.ts';
import { NO_TOTALS } from '../../../shared/core/frontier/host-totals.ts';
import { nameOf } from '../../web/own-requests.ts';
import {
  crawlFacts,
  HOME,
  hostFacts,
  LOG,
  makeFacts,
  messagesOf,
  OLD,
  OTHER,
  PAGE,
  RECORDS,
  request,
  SECRET,
  struck,
  urlRecord,
  violationsOf,
} from './made-facts.ts';

const without = (url: string) => RECORDS.filter((record) => record.url !== url);
const withHosts = (...changed: ReturnType<typeof hostFacts>[]) => {
  const crawl = crawlFacts();
  return { ...crawl, hosts: new Map([...crawl.hosts, ...changed.map((host) => [host.host, host] as const)]) };
};
const ofA = RECORDS.filter(({ url }) => url.startsWith('http://a.test/'));

test('a crawl in which all is well breaks nothing', () => {
  expect(messagesOf(makeFacts())).toEqual([]);
});

describe('oneState', () => {
  test('a URL that waits in a finished crawl is found', () => {
    const waiting = urlRecord(OTHER, 'waiting', undefined, { attempts: 0 });
    expect(messagesOf(makeFacts({ crawls: [crawlFacts([...without(OTHER), waiting])] }))).toEqual([
      expect.stringMatching(
        /^oneState: crawl has finished, but http:\/\/b\.test\/ waits \(0 tries, due at once/,
      ),
    ]);
  });

  test('hosts set aside, and those that are full, may have URLs that wait', () => {
    const waiting = urlRecord(OTHER, 'waiting', undefined, { attempts: 0 });
    const setAside = hostFacts('b.test', [waiting], {
      setAside: { cause: { code: 'other', text: 'it is down' }, at: 0 },
    });
    const waits = crawlFacts([...without(OTHER), waiting]);
    // It is not waited for.
    const inVain = { hostsWaiting: 0, 'givenUp.hosts': 1, 'givenUp.urls': 1 };
    const aside = { ...waits, totals: { ...waits.totals, ...inVain } };
    expect(
      messagesOf(
        makeFacts({ crawls: [{ ...aside, hosts: new Map([...aside.hosts, ['b.test', setAside]]) }] }),
      ),
    ).toEqual([]);
    const more = urlRecord('http://a.test/more', 'waiting', undefined, {
      depth: 2,
      level: 0,
      attempts: 0,
      via: PAGE,
    });
    const full = crawlFacts([...RECORDS, more], { config: { maxPagesPerHost: 2 } });
    const facts = makeFacts({ crawls: [full] });
    const linksOf = (url: string) => (url === PAGE ? [more.url] : facts.web.linksOf(url));
    expect(messagesOf({ ...facts, web: { ...facts.web, linksOf } })).toEqual([]);
  });

  test('a requisite that waits in a crawl that has reached its limit of pages is found, but for hosts set aside', () => {
    const image = urlRecord('http://b.test/1.png', 'waiting', undefined, { attempts: 0, kind: 'requisite' });
    const page = urlRecord('http://a.test/more', 'waiting', undefined, { attempts: 0 });
    const config = { requisites: true, maxPages: 3 };
    const crawl = { ...crawlFacts([...RECORDS, image, page], { config }), status: 'limited' as const };
    const awaited = { ...NO_TOTALS, pages: 1, requisites: { waiting: 1 } };
    const withHead = (head: Partial<Head>) => {
      const own = [...RECORDS, image].filter(({ url }) => url.startsWith('http://b.test/'));
      const host = hostFacts('b.test', own, { totals: awaited, ...head });
      return { ...crawl, hosts: new Map([...crawl.hosts, ['b.test', host]]) };
    };
    const facts = makeFacts();
    const web = {
      ...facts.web,
      linksOf: (url: string) => [...facts.web.linksOf(url), page.url],
      requisitesOf: (url: string) => (url === HOME ? [image.url] : []),
    };
    const foundIn = (one: typeof crawl) => violationsOf('oneState', { ...facts, web, crawls: [one] });
    expect(foundIn(withHead({}))).toEqual([
      expect.stringMatching(
        /^oneState: crawl has met its limit of pages, but http:\/\/b\.test\/1\.png waits/,
      ),
    ]);
    expect(foundIn(withHead({ setAside: { cause: { code: 'other', text: 'it is down' }, at: 0 } }))).toEqual(
      [],
    );
    const timed = withHead({});
    expect(foundIn({ ...timed, config: { ...timed.config, maxTimeMs: 1000 } })).toEqual([]);
  });

  test('a URL in the ledger of another host, one that stands twice, and a head that miscounts are found', () => {
    const strange = hostFacts('a.test', [...ofA, urlRecord(OTHER, 'fetched', 200)]);
    expect(messagesOf(makeFacts({ crawls: [withHosts(strange)] }))).toContain(
      'oneState: crawl: http://b.test/ is in the ledger of a.test',
    );
    const twice = hostFacts('a.test', [...ofA, ofA[0] as (typeof ofA)[0]]);
    expect(messagesOf(makeFacts({ crawls: [withHosts(twice)] }))).toContain(
      `oneState: crawl: ${HOME} stands twice in the ledger of a.test`,
    );
    const miscounted = { ...hostFacts('a.test', ofA), records: ofA.slice(0, -1) };
    expect(messagesOf(makeFacts({ crawls: [withHosts(miscounted)] }))).toEqual([
      'oneState: crawl: the head of a.test (version 2) counts 1 URLs as deniedByRobots, its ledger holds 0',
    ]);
  });

  test('a ledger that cannot be read is found', () => {
    const broken = { ...hostFacts('a.test', ofA), records: [], problem: 'Error: the head names the part s3' };
    expect(messagesOf(makeFacts({ crawls: [withHosts(broken)] }))).toContain(
      'oneState: crawl: the ledger of a.test cannot be read: Error: the head names the part s3',
    );
  });
});

describe('nothingLost', () => {
  test('a requisite that is not known is found, if the crawl fetches requisites', () => {
    const facts = makeFacts();
    const requisitesOf = (url: string) => (url === PAGE ? ['http://b.test/1.png'] : []);
    const foundIn = (config: object) =>
      messagesOf({
        ...facts,
        web: { ...facts.web, requisitesOf },
        crawls: [crawlFacts(RECORDS, { config })],
      });
    expect(foundIn({ requisites: true })).toEqual([
      `nothingLost: crawl: ${PAGE} (fetched, depth 1) has the requisite http://b.test/1.png, which is not known`,
    ]);
    expect(foundIn({})).toEqual([]);
  });

  test('a request of a hook that is not known is found, and one that no hook has made', () => {
    const facts = makeFacts();
    const name = nameOf({ url: `${OTHER}x`, request: { method: 'POST', body: 'a' } });
    const made = {
      ...facts,
      web: { ...facts.web, requestsOf: (url: string) => (url === PAGE ? [name] : []) },
    };
    expect(messagesOf(made)).toEqual([
      `nothingLost: crawl: the hook of ${PAGE} has requested ${name}, which is not known`,
    ]);
    const excluded = crawlFacts(RECORDS, { config: { exclude: ['/x$'] } });
    expect(messagesOf({ ...made, crawls: [excluded] })).toEqual([]);
    const message = { queue: 'links', crawl: 'crawl', kind: 'links' as const, urls: [name] };
    expect(violationsOf('nothingLost', { ...made, messages: [message] })).toEqual([]);
    const known = crawlFacts([...RECORDS, urlRecord(name, 'gone', 404, { depth: 2, via: PAGE })]);
    const asked = { ...made.web, log: [...LOG, request(name, 20, 21, { httpStatus: 404 })] };
    expect(violationsOf('nothingLost', { ...made, web: asked, crawls: [known] })).toEqual([]);
    expect(violationsOf('nothingLost', { ...facts, crawls: [known] })).toEqual([
      `nothingLost: crawl: ${name} is known (depth 2, from ${PAGE}), but is no seed and on no page that was requested`,
    ]);
  });

  test('a link that no ledger knows is found, to another host and to the same one', () => {
    expect(
      messagesOf(
        makeFacts({ crawls: [crawlFacts(without(OTHER))], log: LOG.filter(({ host }) => host === 'a.test') }),
      ),
    ).toEqual([`nothingLost: crawl: ${HOME} (fetched, depth 0) links to ${OTHER}, which is not known`]);
    expect(messagesOf(makeFacts({ crawls: [crawlFacts(without(SECRET))] }))).toEqual([
      `nothingLost: crawl: ${HOME} (fetched, depth 0) links to ${SECRET}, which is not known`,
    ]);
  });

  test('a link beyond depth and scope, or on its way in a message, need not be known', () => {
    const log = LOG.filter(({ host }) => host === 'a.test');
    const atHome = crawlFacts(without(OTHER), { config: { scope: 'host' } });
    expect(messagesOf(makeFacts({ crawls: [atHome], log }))).toEqual([]);
    const flat = crawlFacts([urlRecord(HOME, 'fetched', 200)], { config: { maxDepth: 0 } });
    expect(messagesOf(makeFacts({ crawls: [flat], log: LOG.slice(0, 2) }))).toEqual([]);
    const limited = { ...crawlFacts(without(OTHER)), status: 'limited' as const };
    const message = { queue: 'links', crawl: 'crawl', kind: 'links' as const, urls: [OTHER] };
    expect(messagesOf(makeFacts({ crawls: [limited], messages: [message], log }))).toEqual([]);
  });

  test('links of a page that was cut, and links to a host that is full, are not requested', () => {
    const log = LOG.filter(({ host }) => host === 'a.test');
    const cut = log.map((one) => (one.url === HOME ? { ...one, isCut: true } : one));
    const tried = (maxAttempts: number) =>
      messagesOf(
        makeFacts({ crawls: [crawlFacts(without(OTHER), { config: { maxAttempts } })], log: cut }),
      ).join();
    expect(tried(1)).not.toContain('nothingLost');
    expect(tried(3)).toContain(
      `nothingLost: crawl: ${HOME} is fetched after 1 of 3 tries, though its body broke off`,
    );
    const full = crawlFacts(without(SECRET), { config: { maxPagesPerHost: 2 } });
    expect(messagesOf(makeFacts({ crawls: [full] }))).toEqual([]);
  });

  test('a seed and the target of a redirect that are not known are found', () => {
    const lost = crawlFacts(RECORDS, { seeds: [HOME, 'http://c.test/'] });
    expect(messagesOf(makeFacts({ crawls: [lost] }))).toEqual([
      'nothingLost: crawl: the seed http://c.test/ is not known',
    ]);
    const facts = makeFacts();
    const redirectOf = (url: string) => (url === OLD ? 'http://c.test/new' : undefined);
    expect(messagesOf({ ...facts, web: { ...facts.web, redirectOf } })).toEqual([
      `nothingLost: crawl: ${OLD} redirects to http://c.test/new, which is not known (depth 1, undefined)`,
    ]);
  });

  test('a URL from nowhere, one out of scope, and one that was requested and forgotten are found', () => {
    const stray = urlRecord('http://a.test/stray', 'gone', 404);
    const found = messagesOf(
      makeFacts({
        crawls: [crawlFacts([...RECORDS, stray])],
        log: [...LOG, request(stray.url, 20, 21, { httpStatus: 404 })],
      }),
    );
    expect(found).toEqual([
      `nothingLost: crawl: ${stray.url} is known (depth 1, from ${HOME}), but is no seed and on no page that was requested`,
    ]);
    const narrow = crawlFacts(RECORDS, { config: { scope: 'host' } });
    expect(messagesOf(makeFacts({ crawls: [narrow] }))).toEqual([
      `nothingLost: crawl: ${OTHER} is known (depth 1, from ${HOME}), but is not within the crawl's scope and limits`,
    ]);
    expect(messagesOf(makeFacts({ log: [...LOG, request('http://a.test/ghost', 20, 21)] }))).toEqual([
      'nothingLost: http://a.test/ghost was requested, and no ledger knows it',
    ]);
  });
});

describe('counted', () => {
  const lost = { ...crawlFacts(), totals: { ...crawlFacts().totals, pages: 2 } };

  test('a counter unlike the heads is found', () => {
    expect(messagesOf(makeFacts({ crawls: [lost] }))).toEqual([
      'counted: crawl: the counter pages is 2, the heads of 2 hosts add up to 3',
    ]);
  });

  test('what deaths and lost answers explain is no violation, and what they do not is one', () => {
    const far = { ...lost, totals: { ...lost.totals, hosts: 30 } };
    for (const fault of ['workerKilled', 'workerFrozen', 'callFailsAfter', 'conditionAnswerLost'] as const) {
      const strikes = struck(fault);
      expect(messagesOf(makeFacts({ crawls: [lost], strikes }))).toEqual([]);
      expect(messagesOf(makeFacts({ crawls: [far], strikes })).join()).toMatch(
        /^counted: crawl: the counter hosts is 30/,
      );
    }
    for (const fault of ['throttleStorm', 'callFailsBefore'] as const)
      expect(messagesOf(makeFacts({ crawls: [far], strikes: struck(fault) }))).toEqual([]);
  });

  test('a head that counts other requisites than its ledger holds is found', () => {
    const wrong = hostFacts('a.test', ofA);
    const head = { ...wrong.head, totals: { ...wrong.head.totals, requisites: { fetched: 1, waiting: 0 } } };
    const facts = makeFacts({ crawls: [withHosts({ ...wrong, head })], strikes: struck('throttleStorm') });
    expect(messagesOf(facts)).toEqual([
      'counted: crawl: the head of a.test counts 1 requisites as fetched, its ledger holds 0',
    ]);
  });

  test('a head that counts other pages than its ledger holds is found, whatever struck', () => {
    const wrong = hostFacts('a.test', ofA);
    const head = { ...wrong.head, totals: { ...wrong.head.totals, pages: 3 } };
    const facts = makeFacts({ crawls: [withHosts({ ...wrong, head })], strikes: struck('throttleStorm') });
    expect(messagesOf(facts)).toEqual([
      'counted: crawl: the head of a.test counts 3 pages, its ledger holds 2',
    ]);
  });

  test('a page that redirects when it is fetched again stays counted', () => {
    const moved = RECORDS.map((record) => (record.url === PAGE ? urlRecord(PAGE, 'redirect', 301) : record));
    const of = (config: object, httpStatus = 200) => {
      const [first] = crawlFacts(moved, { config }).hosts.values();
      const head = { ...first!.head, totals: { ...first!.head.totals, pages: 2 } };
      const hosts = new Map([['a.test', { ...first!, head }]]);
      const facts = makeFacts({ crawls: [crawlFacts(moved, { config, hosts, files: new Map() })] });
      const log = facts.web.log.map((one) => (one.url === PAGE ? { ...one, httpStatus } : one));
      const found = violationsOf('counted', { ...facts, web: { ...facts.web, log } });
      return found.filter((text) => text.includes('its ledger holds'));
    };
    expect(of({ recrawlEveryMs: 600_000 })).toEqual([]);
    expect(of({ recrawlEveryMs: 600_000 }, 503)).toEqual([]);
    expect(of({ recrawlEveryMs: 600_000 }, 301)).toHaveLength(1);
    expect(of({})).toEqual(['counted: crawl: the head of a.test counts 2 pages, its ledger holds 1']);
  });
});

describe('limitsKept', () => {
  test('more pages of a host than allowed are found', () => {
    expect(
      messagesOf(makeFacts({ crawls: [crawlFacts(RECORDS, { config: { maxPagesPerHost: 1 } })] })),
    ).toEqual(['limitsKept: crawl: a.test gave 2 pages, expected at most 1']);
  });

  test('URLs deeper, longer and reached by more redirects than allowed are found', () => {
    const odd = { maxDepth: 0, maxUrlLength: 17, maxRedirects: 0 };
    const redirected = RECORDS.map((record) => (record.url === PAGE ? { ...record, redirects: 1 } : record));
    const found = messagesOf(makeFacts({ crawls: [crawlFacts(redirected, { config: odd })] }));
    expect(found).toContain(`limitsKept: crawl: ${PAGE} has depth 1, expected at most 0`);
    expect(found).toContain(`limitsKept: crawl: ${SECRET} has 20 characters, expected at most 17`);
    expect(found).toContain(`limitsKept: crawl: 1 redirects led to ${PAGE}, expected at most 0`);
  });

  test('more pages than the limit and what may be in flight are found', () => {
    const urls = Array.from({ length: 40 }, (_, i) => `http://a.test/${i}`);
    const records = [urlRecord(HOME, 'fetched', 200), ...urls.map((url) => urlRecord(url, 'fetched', 200))];
    const crawl = { ...crawlFacts(records, { config: { maxPages: 20 } }), status: 'limited' as const };
    expect(messagesOf(makeFacts({ crawls: [crawl], log: [] }))).toContain(
      'limitsKept: crawl has 41 pages, expected at most 20 and 9 in flight of each of 1 hosts',
    );
    const few = { ...crawl, config: { ...crawl.config, maxPages: 35 } };
    expect(messagesOf(makeFacts({ crawls: [few], log: [] })).join()).not.toContain('limitsKept');
  });

  test('a page that is begun long after the limit was met is found', () => {
    const crawl = crawlFacts(RECORDS, { config: { maxPages: 2, turnMaxMs: 2000, totalTimeoutMs: 5000 } });
    const late = LOG.map((one) => (one.url === OTHER ? request(OTHER, 30, 30.1) : one));
    expect(messagesOf(makeFacts({ crawls: [crawl], log: late }))).toEqual([
      `limitsKept: crawl: ${OTHER} was begun T0+30.000 s, when 2 pages had ended 20.000 s before; expected none after 2 pages`,
    ]);
    expect(messagesOf(makeFacts({ crawls: [crawl] }))).toEqual([]);
  });
});
