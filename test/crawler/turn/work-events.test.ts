import { describe, expect, test } from 'vitest';
import type { WorkEvent } from '../../../shared/crawler/turn/work-events.ts';
import { page, robots, type Site } from '../worker/scripted-fetcher.ts';
import { crawlToEnd, SILENT } from '../worker/world.ts';

const A = 'http://a.test';

async function eventsOf(site: Site, options = {}): Promise<WorkEvent[]> {
  const events: WorkEvent[] = [];
  const hooks = { ...SILENT, onPage: async () => ({ items: ['{"a":1}'] }) };
  await crawlToEnd(site, options, { hooks, onEvent: (event) => void events.push(event) });
  return events;
}

describe('the events of a worker', () => {
  test('report the outcome of each URL once, and its items', async () => {
    const site: Site = {
      [`${A}/`]: page('/gone', '/denied'),
      [`${A}/robots.txt`]: robots('User-agent: *\nDisallow: /denied\n'),
    };
    const events = await eventsOf(site);
    const pages = events.flatMap((event) => (event.type === 'page' ? [[event.url, event.status]] : []));
    expect(pages.toSorted()).toEqual([
      [`${A}/`, 'fetched'],
      [`${A}/denied`, 'deniedByRobots'],
      [`${A}/gone`, 'gone'],
    ]);
    expect(events.filter(({ type }) => type === 'item')).toEqual([
      { type: 'item', url: `${A}/`, line: '{"a":1}' },
    ]);
  });

  test('say each time when a host fails, and until when it rests', async () => {
    const site: Site = { [`${A}/robots.txt`]: { fails: 'connect' }, [`${A}/`]: { fails: 'connect' } };
    const events = await eventsOf(site, { maxHostFailures: 3, keepTrying: true });
    const backoffs = events.flatMap((event) => (event.type === 'hostBackoff' ? [event] : []));
    expect(backoffs.map(({ host, failures }) => [host, failures])).toEqual([
      ['a.test', 1],
      ['a.test', 2],
      ['a.test', 3],
    ]);
    const times = backoffs.map(({ until }) => until);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });
});
