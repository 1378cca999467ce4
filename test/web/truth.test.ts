import { describe, expect, test } from 'vitest';
import { domainOf, hostOf } from './canonical.ts';
import { generateWeb } from './graph.ts';
import { type CrawlPlan, closure } from './truth.ts';

describe('the truth', () => {
  const web = generateWeb({ seed: 7, hosts: 12, pagesPerHost: 10 });
  const truth = closure(web, { seeds: web.seeds, scope: 'host', robotsAgent: 'Strand' });
  const stateOf = (path: string) => {
    const states = web.hosts.flatMap((host) => truth.urls.get(`http://${host}${path}`)?.state ?? []);
    return [...new Set(states)].filter((state) => state !== 'deniedByRobots').join();
  };

  test.each([
    ['/x/redirects/301', 'redirect'],
    ['/x/redirects/to-301', 'fetched'],
    ['/x/redirects/chain-4/5', 'fetched'],
    ['/x/redirects/loop/b', 'redirect'],
    ['/x/redirects/endless/10', 'redirect'],
    ['/x/redirects/endless/11', ''],
    ['/x/redirects/no-location', 'redirect'],
    ['/x/errors/404', 'gone'],
    ['/x/errors/410', 'gone'],
    ['/x/errors/500', 'failed'],
    ['/x/errors/passing-503', 'fetched'],
    ['/x/broken/garbage', 'failed'],
    ['/x/duplicates/c?print=1', 'fetched'],
    ['/x/spellings/~joe', 'fetched'],
    ['/x/codings/from-zstd', 'fetched'],
    ['/x/large-bodies/end', 'fetched'],
    ['/decoy/comment/corner', ''],
    ['/decoy/types/pdf', ''],
  ])('%s is %s', (path, state) => {
    expect(stateOf(path)).toBe(state);
  });

  test('judges robots.txt by longest match, by the crawler, and by the outcome of its request', () => {
    const [rules, , , , named, , down, , forbidden] = web.hosts;
    const secret = '/private/behind-redirect';
    const verdict = (host: string, path: string, robotsAgent?: string) =>
      closure(web, { seeds: [`http://${host}${path}`], scope: 'page', robotsAgent })
        .urls.values()
        .next().value!.state;
    expect(verdict(rules!, secret, 'Strand')).toBe('deniedByRobots');
    expect(verdict(rules!, '/private/open/p1', 'Strand')).toBe('gone');
    expect(verdict(rules!, '/a.cgi', 'Strand')).toBe('deniedByRobots');
    expect(verdict(rules!, '/a.cgi?x', 'Strand')).toBe('gone');
    expect(verdict(rules!, '/', 'greedybot')).toBe('deniedByRobots');
    expect(verdict(rules!, secret)).not.toBe('deniedByRobots');
    expect(verdict(named!, secret, 'Strand')).not.toBe('deniedByRobots');
    expect(verdict(named!, '/deep/x', 'Strand')).toBe('deniedByRobots');
    expect(verdict(named!, '/deep/a/b/c/p1', 'Strand')).not.toBe('deniedByRobots');
    expect(verdict(down!, '/', 'Strand')).toBe('deniedByRobots');
    expect(verdict(forbidden!, secret, 'Strand')).not.toBe('deniedByRobots');
  });

  test('draws every scope', () => {
    const seeds = [web.seeds[3]!];
    const of = (scope: CrawlPlan['scope'], from = seeds) => [
      ...closure(web, { seeds: from, scope }).urls.keys(),
    ];
    expect(of('page')).toEqual(seeds);
    expect(new Set(of('host').map(hostOf))).toEqual(new Set(['a.shop.test']));
    expect(new Set(of('domain').map((url) => domainOf(hostOf(url))))).toEqual(new Set(['shop.test']));
    expect(new Set(of('any').map(hostOf)).size).toBeGreaterThan(6);
    const folder = of('prefix', [`http://${web.hosts[0]}/x/redirects/relative/file`]);
    expect(folder.length).toBeGreaterThan(1);
    for (const url of folder) expect(url).toContain('/x/redirects/relative/');
  });
});
