import { expect, test } from 'vitest';
import type { Cause } from '../../../shared/core/causes/cause.ts';
import { type Head, NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { causeOfDeath, Quarantine } from '../../../shared/crawler/turn/quarantine.ts';
import { quarantinePage, withQuarantine } from '../../../shared/crawler/turn/quarantine-page.ts';
import type { StoredHead } from '../../../shared/crawler/turn/stored-head.ts';
import { T0 } from '../worker/fake-clock.ts';

const PAGE = 'http://a.test/page';
const OTHER = 'http://a.test/other';
const UNTIL = T0 + 1000;
const SUSPECT: Partial<Head> = { intent: { url: PAGE, tries: 1 } };
const BLOCKED: Cause = { code: 'threadBlocked', ms: 5000, step: 'links' };

/** The store answers later: an announcement that is not waited for is not in the log yet. */
const slowly = () => new Promise((resolve) => setImmediate(resolve));

/** `log`: what is done, in order. `locks`: answers of the lock. */
function open(head: Partial<Head> = {}, { isAnnouncing = true, locks = [true] } = {}) {
  const log: string[] = [];
  const state = { head: { ...NEW_HEAD, token: 't', ...head } as Head, fails: false, itemsFail: false };
  const stored = {
    get head() {
      return state.head;
    },
    async stageItems(items: readonly string[]) {
      await slowly();
      if (state.itemsFail) throw new Error('items are out of reach');
      log.push(`stage ${items.length}`);
    },
    async replace(next: Head) {
      await slowly();
      if (state.fails) throw new Error('the store is out of reach');
      const { intent } = next;
      log.push(intent ? `store ${intent.url} ${intent.tries}` : 'store nothing');
      expect(next.token).toBe('t');
      state.head = next;
    },
  } as unknown as StoredHead;
  const answers = [...locks];
  const intentLock = async (until: number, isAlone: boolean) => {
    expect(until).toBe(UNTIL);
    log.push(isAlone ? 'lock alone' : 'lock');
    return answers.shift() ? () => void log.push('free') : undefined;
  };
  return {
    log,
    state,
    quarantine: new Quarantine({ intentLock }, stored, {
      caution: { isAnnouncing, stored: undefined },
      until: UNTIL,
    }),
  };
}

test('a turn that is not suspicious announces nothing', async () => {
  const { quarantine, log } = open({ intent: { url: PAGE, tries: 3 } }, { isAnnouncing: false });
  expect(quarantine.isAnnouncing).toBe(false);
  expect(await quarantine.announce(PAGE)).toBe('allowed');
  quarantine.release();
  await quarantine.retract();
  expect(log).toEqual([]);
});

test('a URL is stored before it is fetched, under a lock that is kept until the turn ends', async () => {
  const { quarantine, log } = open();
  expect(quarantine.isAnnouncing).toBe(true);
  expect(await quarantine.announce(PAGE)).toBe('allowed');
  expect(await quarantine.announce(OTHER)).toBe('allowed');
  expect(log).toEqual(['lock', 'stage 0', `store ${PAGE} 0`, 'stage 0', `store ${OTHER} 0`]);
  quarantine.release();
  expect(log.at(-1)).toBe('free');
});

test('an announcement takes what is left of the share out of the head, for the next turn', async () => {
  const { quarantine, state } = open({ share: { period: 7, left: 3 } });
  await quarantine.announce(PAGE);
  expect(state.head.share).toEqual({ period: 7, left: 0 });
  const none = open();
  await none.quarantine.announce(PAGE);
  expect(none.state.head).not.toHaveProperty('share');
});

test('a suspect has the lock alone, and its tries count', async () => {
  const { quarantine, log } = open(SUSPECT);
  expect(await quarantine.announce(OTHER)).toBe('allowed');
  quarantine.clear(PAGE);
  expect(await quarantine.announce(PAGE)).toBe('allowed');
  expect(log).toEqual(['lock alone', 'stage 0', `store ${OTHER} 1`, 'stage 0', `store ${PAGE} 1`]);
  expect(quarantine.isPostponed).toBe(false);
  quarantine.release();
  expect(log.at(-1)).toBe('free');
});

test('tries go by what the turn found: the URL of the worker that died has one more, others their first', async () => {
  const { quarantine, log } = open({ intent: { url: PAGE, tries: 2 } });
  expect(quarantine.suspect).toEqual({ url: PAGE, tries: 2 });
  await quarantine.announce(OTHER);
  await quarantine.announce(PAGE);
  expect(log.filter((line) => line.startsWith('store'))).toEqual([`store ${OTHER} 1`, `store ${PAGE} 3`]);
});

test('a URL at which three workers died is quarantined; another one is not', async () => {
  const { quarantine, log } = open({ intent: { url: PAGE, tries: 3 } });
  expect(await quarantine.announce(PAGE)).toBe('quarantined');
  expect(log).toEqual([]);
  expect(await quarantine.announce(OTHER)).toBe('allowed');
});

test('a turn that does not get the lock is put off, and stores nothing', async () => {
  const { quarantine, log } = open({}, { locks: [false, true] });
  expect(await quarantine.announce(PAGE)).toBe('busy');
  expect(quarantine.isPostponed).toBe(true);
  expect(log).toEqual(['lock']);
  await quarantine.retract();
  quarantine.release();
  expect(log).toEqual(['lock']);
  // It may have been freed meanwhile.
  expect(await quarantine.announce(PAGE)).toBe('allowed');
});

test('a URL that has not killed this worker is suspected no longer', () => {
  const { quarantine } = open({ intent: { url: PAGE, tries: 2 } });
  quarantine.clear(OTHER);
  expect(quarantine.suspect).toEqual({ url: PAGE, tries: 2 });
  quarantine.clear(PAGE);
  expect(quarantine.suspect).toBeUndefined();
});

test('a turn that is discarded takes its announcement back and leaves the older suspicion', async () => {
  const suspect = open({ intent: { url: PAGE, tries: 2 } });
  await suspect.quarantine.announce(OTHER);
  await suspect.quarantine.retract();
  expect(suspect.log.at(-1)).toBe(`store ${PAGE} 2`);
  const none = open();
  await none.quarantine.announce(OTHER);
  await none.quarantine.watch(async () => 'fetched');
  await none.quarantine.retract();
  expect(none.log.at(-1)).toBe('store nothing');
});

test('an announcement stays when the page itself was the reason', async () => {
  const { quarantine, log } = open();
  await quarantine.announce(PAGE);
  await expect(quarantine.watch(() => Promise.reject(new Error('parser')))).rejects.toThrow('parser');
  await quarantine.retract();
  expect(log.at(-1)).toBe(`store ${PAGE} 0`);
});

test('what is watched gives its result', async () => {
  expect(await open().quarantine.watch(async () => 5)).toBe(5);
});

test('nothing is taken back where nothing was announced, and a store that fails stops nobody', async () => {
  const { quarantine, log, state } = open();
  await quarantine.retract();
  expect(log).toEqual([]);
  await quarantine.announce(PAGE);
  state.fails = true;
  await quarantine.retract();
  await expect(quarantine.announce(OTHER)).rejects.toThrow('the store is out of reach');
  state.itemsFail = true;
  await expect(quarantine.announce(OTHER)).rejects.toThrow('items are out of reach');
});

test('the cause of a URL at which workers died', () => {
  expect(causeOfDeath('robots')).toEqual({ code: 'workerDied', times: 3, at: 'robots' });
});

test('pages that blocked their thread are known with their causes', () => {
  const { quarantine } = open({
    quarantine: [
      { url: OTHER, cause: { code: 'threadBlocked', ms: 1, step: 'parse' } },
      { url: PAGE, cause: BLOCKED },
    ],
  });
  expect(quarantine.causeOf(PAGE)).toEqual(BLOCKED);
  expect(quarantine.causeOf('http://a.test/')).toBeUndefined();
  expect(open().quarantine.causeOf(PAGE)).toBeUndefined();
  expect(quarantine.blocked).toHaveLength(2);
});

test('a page that blocks its thread goes into the head, and is no longer the suspect', () => {
  const task = { crawl: 'c', url: PAGE, step: 'parse' as const };
  const head = { ...NEW_HEAD, version: 4, token: 't', intent: { url: PAGE, tries: 1 } };
  const after = withQuarantine(head, task, 60_400, T0);
  expect(after).toMatchObject({ version: 5, token: 't', setAside: undefined });
  expect(after.quarantine).toEqual([
    { url: PAGE, cause: { code: 'threadBlocked', ms: 60_400, step: 'parse' } },
  ]);
  expect(after).not.toHaveProperty('intent');
  const other = withQuarantine({ ...head, intent: { url: OTHER, tries: 1 } }, task, 60_400, T0);
  expect(other.intent).toEqual({ url: OTHER, tries: 1 });
});

test('a page is in quarantine once, with its last cause; the last twenty are kept', () => {
  let head: Head = { ...NEW_HEAD };
  for (let i = 0; i < 25; i++)
    head = withQuarantine(head, { crawl: 'c', url: `${PAGE}${i % 24}`, step: 'links' }, 1000 * i, T0);
  expect(head.quarantine).toHaveLength(20);
  expect(head.quarantine?.at(-1)).toEqual({
    url: `${PAGE}0`,
    cause: { code: 'threadBlocked', ms: 24_000, step: 'links' },
  });
  expect(head.quarantine?.filter(({ url }) => url === `${PAGE}0`)).toHaveLength(1);
  expect(head.quarantine?.[0]?.url).toBe(`${PAGE}5`);
});

test('a host is given up at its third page that blocks, or when its robots.txt does; the first cause stays', () => {
  const block = (head: Head, i: number, step: 'parse' | 'robots' = 'parse') =>
    withQuarantine(head, { crawl: 'c', url: `${PAGE}${i}`, step }, 5000, T0 + i);
  const two = block(block(NEW_HEAD, 1), 2);
  expect(two.setAside).toBeUndefined();
  const three = block(two, 3);
  expect(three.setAside).toEqual({
    cause: { code: 'pagesBlockedThread', pages: 3, ms: 5000, step: 'parse' },
    at: T0 + 3,
  });
  expect(block(three, 4).setAside).toEqual(three.setAside);
  expect(block(NEW_HEAD, 1, 'robots').setAside).toEqual({
    cause: { code: 'robotsBlockedThread', ms: 5000, step: 'robots' },
    at: T0 + 1,
  });
});

test('the new head is stored on the one that is there, or as the first', async () => {
  const stored: unknown[] = [];
  const heads: Record<string, Head> = { 'c a.test': { ...NEW_HEAD, version: 8, token: 't' } };
  const ledgers = {
    loadHead: async (crawl: string, host: string) => heads[`${crawl} ${host}`],
    commit: async (...args: unknown[]) => void stored.push(args),
  };
  const task = { crawl: 'c', url: PAGE, step: 'hook' as const };
  await quarantinePage(ledgers, task, 5000, T0);
  expect(stored).toEqual([['c', 'a.test', withQuarantine(heads['c a.test'] as Head, task, 5000, T0)]]);
  const other = { ...task, url: 'http://b.test:81/x' };
  await quarantinePage(ledgers, other, 5000, T0);
  expect(stored[1]).toEqual(['c', 'b.test:81', withQuarantine(NEW_HEAD, other, 5000, T0)]);
  const stale = { ...ledgers, commit: () => Promise.reject(new Error('stale')) };
  await expect(quarantinePage(stale, task, 5000, T0)).rejects.toThrow('stale');
});

test('a second page of a host that blocks its thread is in quarantine beside the first one', async () => {
  let head: Head | undefined;
  const ledgers = {
    loadHead: async () => head,
    commit: async (_crawl: string, _host: string, next: Head) => {
      head = next;
    },
  };
  for (const path of ['/1', '/2', '/1'])
    await quarantinePage(
      ledgers as never,
      { crawl: 'c', url: `http://a.test${path}`, step: 'hook' },
      5000,
      T0,
    );
  expect(head?.version).toBe(3);
  expect(head?.quarantine?.map(({ url }) => url)).toEqual(['http://a.test/2', 'http://a.test/1']);
});
