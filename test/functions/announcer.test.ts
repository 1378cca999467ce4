import { describe, expect, test } from 'vitest';
import { Announcer, type AnnouncerDeps, TimeIsUp } from '../../functions/announcer.ts';
import { allSinks, eventBus } from '../../functions/event-sinks.ts';
import { withFirstPass } from '../../shared/crawler/crawl-state/first-pass.ts';
import type { CrawlRecord, FirstPass } from '../../shared/crawler/ports/crawl-registry.ts';
import type { UnannouncedCrawl } from '../../shared/engines/aws/state/unannounced.ts';
import type { EndedCrawl } from '../../shared/services/webhook/crawl-events.ts';
import type { WebhookEvent } from '../../shared/services/webhook/webhook.ts';
import { createFakeClock, T0 } from '../crawler/worker/fake-clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const UNTIL = Number.POSITIVE_INFINITY;

const NEW: UnannouncedCrawl = {
  ...{ crawl: 'news', entry: 'e1', tries: 0, retryAt: 0 },
  ...{ finishTries: 0, isFinishDone: false },
};

/** A crawl in that state, and a receiver that answers by these faults, then without one. */
function setUp(
  status: string,
  faults: (string | Error | undefined)[] = [],
  code?: string,
  finish?: AnnouncerDeps['finish'],
  firstPass?: FirstPass,
) {
  const clock = createFakeClock();
  const crawls = new Map<string, UnannouncedCrawl>([['news', NEW]]);
  const change = (crawl: string, changed: Partial<UnannouncedCrawl>) =>
    void crawls.set(crawl, { ...crawls.get(crawl)!, ...changed });
  const sent: WebhookEvent[][] = [];
  const untils: number[] = [];
  const logged: { readonly level: string; readonly message?: unknown }[] = [];
  let record: CrawlRecord = {
    status,
    ...(code !== undefined && { why: { code, text: code } }),
    ...(firstPass && { firstPass }),
  } as never;
  const ended = { state: status, reasonCode: code, seconds: 7, pages: 3, setAside: [] };
  let beforeSummary = () => {};
  let beforeSending = () => {};
  const announcer = new Announcer({
    registry: {
      load: async (crawl) => (crawl === 'gone' ? undefined : record),
      loadUnannounced: async (crawl) => crawls.get(crawl),
      async noteFirstPass(_, noted) {
        record = withFirstPass(record, noted);
      },
      noteAnnounced: async ({ crawl }) => void crawls.delete(crawl),
      delayAnnouncement: async (delayed) => change(delayed.crawl, delayed),
      noteFinish: async (note) => change(note.crawl, note),
    },
    async summarize() {
      beforeSummary();
      return ended as unknown as EndedCrawl;
    },
    sink: {
      async send(events, until) {
        sent.push([...events]);
        untils.push(until);
        beforeSending();
        const fault = faults.shift();
        if (fault instanceof Error) throw fault;
        return fault;
      },
    },
    ...(finish && { finish }),
    clock,
    log: (level, fields) => logged.push({ level, ...fields }),
  });
  const onSummary = (work: () => void) => {
    beforeSummary = work;
  };
  const onSend = (work: () => void) => {
    beforeSending = work;
  };
  /** One look at each of the crawls, as the waker has them announced. */
  async function look(until: number): Promise<(number | undefined)[]> {
    const again: (number | undefined)[] = [];
    for (const crawl of [...crawls.keys()]) again.push(await announcer.look(crawl, until));
    return again;
  }
  return {
    announcer: { look },
    clock,
    crawls,
    sent,
    untils,
    logged,
    ended,
    onSummary,
    onSend,
    record: () => record,
  };
}

describe('the end of a crawl', () => {
  test('has the time at which it is sent', async () => {
    const { announcer, clock, sent, onSummary } = setUp('finished');
    onSummary(() => clock.set(MINUTE));
    await announcer.look(UNTIL);
    expect(sent[0]?.[0]?.time).toBe(new Date(clock.now()).toISOString());
  });

  test.each([
    ['finished', undefined, 'crawlFinished'],
    ['limited', 'maxPages', 'crawlLimited'],
    ['paused', 'maxCost', 'crawlLimited'],
  ])('%s (%s) is announced as %s, once', async (status, code, type) => {
    const { announcer, sent, crawls } = setUp(status, [], code);
    await announcer.look(UNTIL);
    await announcer.look(UNTIL);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject([{ type, crawl: 'news', data: { state: status, pages: 3 } }]);
    expect(crawls.size).toBe(0);
  });

  test.each([
    ['running', 1],
    ['paused', 1],
    ['stopped', 0],
  ])('is none if the crawl is %s', async (status, left) => {
    const { announcer, sent, crawls } = setUp(status);
    await announcer.look(UNTIL);
    expect(sent).toEqual([]);
    expect(crawls.size).toBe(left);
  });

  test('names the hosts that were given up, each by an event with an id of its own', async () => {
    const { announcer, sent, ended } = setUp('finished');
    ended.setAside = ['a.test', 'b.test'].map((host) => ({ host, cause: 'x', causeCode: 'y' })) as never;
    await announcer.look(UNTIL);
    expect(sent[0]?.map(({ type }) => type)).toEqual(['hostGivenUp', 'hostGivenUp', 'crawlFinished']);
    expect(new Set(sent[0]?.map(({ id }) => id)).size).toBe(3);
  });
});

test('each event of a crawl, and of each of its ends, has an id of its own', async () => {
  const ids: string[] = [];
  for (const [crawl, status, code, seconds] of [
    ['news', 'finished', undefined, 7],
    ['blog', 'finished', undefined, 7],
    ['news', 'limited', 'maxPages', 7],
    ['news', 'finished', undefined, 8],
  ] as const) {
    const { announcer, crawls, sent, ended } = setUp(status, [], code);
    crawls.clear();
    crawls.set(crawl, { ...NEW, crawl });
    Object.assign(ended, { seconds, setAside: [{ host: 'a.test', cause: 'x', causeCode: 'y' }] });
    await announcer.look(UNTIL);
    ids.push(...sent.flat().map(({ id }) => id));
  }
  expect(new Set(ids).size).toBe(8);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
});

describe('the first pass of a crawl that goes on', () => {
  const at = Date.UTC(2026, 10, 25);

  test('is sent again in time after each resume of the crawl, though the receiver is down as before', async () => {
    const { announcer, crawls, clock } = setUp('running', ['x', 'x'], undefined, undefined, { at });
    for (let resume = 0; resume < 2; resume++) {
      crawls.set('news', NEW);
      await announcer.look(UNTIL);
      expect(crawls.get('news')).toMatchObject({ tries: 1, retryAt: clock.now() + MINUTE });
      await clock.advance(HOUR);
    }
  });

  test('is sent on after the crawl was stopped; the time of onFinish is that of its look', async () => {
    const calls: string[] = [];
    const finish = async (crawl: string) => void calls.push(crawl);
    const { announcer, crawls, clock, onSend } = setUp('stopped', ['x'], undefined, finish, { at });
    onSend(() => clock.set(MINUTE));
    await announcer.look(clock.now() + MINUTE);
    expect([calls, crawls.get('news')]).toMatchObject([[], { tries: 1 }]);
    onSend(() => {});
    await clock.advance(MINUTE);
    await announcer.look(clock.now() + MINUTE);
    expect([calls, crawls.size]).toEqual([['news'], 0]);
  });

  test('stays to be sent if it is not received, though onFinish of a crawl that was stopped was called', async () => {
    const finish = async () => {};
    const { announcer, crawls } = setUp('stopped', ['x'], undefined, finish, { at });
    await announcer.look(UNTIL);
    expect(crawls.get('news')).toMatchObject({ tries: 1, isFinishDone: true });
  });

  test('is announced once', async () => {
    const { announcer, sent, crawls, record } = setUp('running', [], undefined, undefined, { at });
    for (let i = 0; i < 3; i++) await announcer.look(UNTIL);
    expect(sent).toMatchObject([
      [{ type: 'firstPassFinished', crawl: 'news', data: { at: '2026-11-25T00:00:00.000Z', pages: 3 } }],
    ]);
    expect(record().firstPass).toEqual({ at, isAnnounced: true });
    expect(crawls.size).toBe(1);
  });

  test('is sent again until it is received, also after the crawl has ended', async () => {
    const { announcer, clock, sent, crawls } = setUp('finished', ['HTTP 500'], undefined, undefined, { at });
    await announcer.look(UNTIL);
    expect(crawls.get('news')).toMatchObject({ tries: 1 });
    await clock.advance(MINUTE);
    await announcer.look(UNTIL);
    const [first, end, again, endAgain] = sent.flat();
    expect([first, end].map((event) => event?.type)).toEqual(['firstPassFinished', 'crawlFinished']);
    expect([again?.id, endAgain?.id]).toEqual([first?.id, end?.id]);
    expect(sent).toHaveLength(4);
    expect(crawls.size).toBe(0);
  });

  test('is given up after a day, and the crawl is still announced when it ends', async () => {
    const { announcer, clock, sent, logged, crawls, record } = setUp(
      'running',
      Array(30).fill('x'),
      undefined,
      undefined,
      { at },
    );
    for (let hour = 0; hour < 48; hour++) {
      await announcer.look(UNTIL);
      await clock.advance(60 * MINUTE);
    }
    expect(sent).toHaveLength(30);
    expect(record().firstPass?.isAnnounced).toBe(true);
    expect(logged.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(crawls.get('news')).toMatchObject({ tries: 0 });
  });

  test.each([
    ['given up', Array(100).fill('x')],
    ['received, but not the end', [undefined, ...Array(100).fill('x')]],
  ])('%s at its last try leaves the end of the crawl all of its tries', async (_, faults) => {
    const { announcer, clock, sent, crawls } = setUp('finished', faults, undefined, undefined, { at });
    crawls.set('news', { ...NEW, tries: 29 });
    await announcer.look(UNTIL);
    expect([...crawls.keys()]).toEqual(['news']);
    await clock.advance(HOUR);
    for (let hour = 0; hour < 48; hour++) {
      await announcer.look(UNTIL);
      await clock.advance(60 * MINUTE);
    }
    const types = sent.flat().map(({ type }) => type);
    expect(types.filter((type) => type === 'firstPassFinished')).toHaveLength(1);
    expect(types.filter((type) => type === 'crawlFinished').length).toBeGreaterThanOrEqual(30);
    expect(crawls.size).toBe(0);
  });
});

describe('events that are not received', () => {
  test('wait twice as long after each try, and an hour at most; those of a later end begin with a minute', async () => {
    const { announcer, clock, crawls } = setUp('finished', Array(100).fill('HTTP 500'));
    for (const end of [1, 2]) {
      crawls.set('news', NEW);
      const waits: number[] = [];
      for (let n = 0; n < 9; n++) {
        await announcer.look(UNTIL);
        const waitMs = crawls.get('news')!.retryAt - clock.now();
        waits.push(waitMs / MINUTE);
        await clock.advance(waitMs);
      }
      expect(waits, `end ${end}`).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    }
  });

  test('are sent again after 1, 2, 4 minutes, with the same ids, until they are', async () => {
    const { announcer, clock, sent, crawls } = setUp('finished', ['HTTP 500', 'HTTP 500', 'HTTP 500']);
    const tries: number[] = [];
    for (let minute = 0; minute <= 8; minute++) {
      const before = sent.length;
      await announcer.look(UNTIL);
      if (sent.length > before) tries.push(minute);
      await clock.advance(MINUTE);
    }
    expect(tries).toEqual([0, 1, 3, 7]);
    expect(new Set(sent.flat().map(({ id }) => id)).size).toBe(1);
    expect(crawls.size).toBe(0);
  });

  test('are given up after a day, with an error in the log', async () => {
    const { announcer, clock, sent, logged, crawls } = setUp('finished', Array(100).fill('HTTP 500'));
    for (let hour = 0; hour < 48; hour++) {
      await announcer.look(UNTIL);
      await clock.advance(60 * MINUTE);
    }
    expect(sent.length).toBe(30);
    expect(crawls.size).toBe(0);
    expect(logged.at(-1)).toMatchObject({
      level: 'error',
      message: 'The events of a crawl were not received, and are not sent again',
      crawl: 'news',
      cause: 'HTTP 500',
    });
  });

  test('do not hold up other crawls; those of a crawl that is not there are none', async () => {
    const { announcer, crawls, logged, sent } = setUp('finished');
    crawls.set('gone', { ...NEW, crawl: 'gone' });
    crawls.delete('news');
    crawls.set('news', NEW);
    await announcer.look(UNTIL);
    expect(sent).toHaveLength(1);
    expect([...crawls.keys()]).toEqual([]);
    expect(logged).toEqual([]);
  });
});

describe('a receiver that takes half a minute', () => {
  const sentIn = (sent: readonly WebhookEvent[][]) => sent.map(([event]) => event?.crawl);

  /** The ends of three crawls, of which those in `later` are to be announced after that number of ms. */
  function slowReceiver(later: Readonly<Record<string, number>> = {}) {
    const set = setUp('finished');
    for (const crawl of ['news', 'blog', 'shop'])
      set.crawls.set(crawl, { ...NEW, crawl, retryAt: set.clock.now() + (later[crawl] ?? 0) });
    set.onSend(() => set.clock.set(MINUTE / 2));
    return set;
  }

  test('is sent nothing after the end of the look', async () => {
    const { announcer, clock, sent, crawls } = slowReceiver();
    await announcer.look(clock.now() + MINUTE);
    expect([sentIn(sent), [...crawls.keys()]]).toEqual([['news', 'blog'], ['shop']]);
  });

  test('is sent what is due by then, and not what comes later', async () => {
    const { announcer, sent } = slowReceiver({ blog: 50_000, shop: 80_001 });
    await announcer.look(UNTIL);
    expect(sentIn(sent)).toEqual(['news', 'blog']);
  });
});

describe('a look', () => {
  test('has the receiver end with it', async () => {
    const { announcer, untils } = setUp('finished', [], undefined, undefined, { at: 5 });
    await announcer.look(T0 + HOUR);
    expect(untils).toEqual([T0 + HOUR, T0 + HOUR]);
  });

  test('in which there was no time for all events is followed by one with the others: it is no try without success', async () => {
    const finish: string[] = [];
    const late = Array.from({ length: 40 }, () => new TimeIsUp('3 of 101'));
    const { announcer, clock, sent, crawls, logged } = setUp('finished', late, undefined, async (crawl) => {
      finish.push(crawl);
    });
    for (let minute = 0; minute < 40; minute++) {
      await announcer.look(UNTIL);
      await clock.advance(MINUTE);
    }
    expect(sent).toHaveLength(40);
    expect(crawls.get('news')).toEqual(NEW);
    expect(logged[0]).toMatchObject({ level: 'warn', crawl: 'news', cause: '3 of 101' });
    expect(finish).toEqual([]);
    await announcer.look(UNTIL);
    expect([sent.length, crawls.size, finish]).toEqual([41, 0, ['news']]);
  });
});

describe('onFinish', () => {
  /** Announces by a hook that fails that often. Returns its calls. */
  function withFinish(status: string, faults: (string | undefined)[] = [], failures = 0) {
    const calls: unknown[] = [];
    const set = setUp(status, faults, undefined, async (crawl, record) => {
      calls.push([crawl, record.status]);
      if (calls.length <= failures) throw new Error('no such file');
    });
    const look = async () => {
      await set.announcer.look(UNTIL);
      await set.clock.advance(60 * MINUTE);
    };
    return { ...set, calls, look };
  }

  test.each(['finished', 'limited', 'stopped'])('is called once when the crawl is %s', async (status) => {
    const { calls, look, crawls } = withFinish(status);
    await look();
    await look();
    expect(calls).toEqual([['news', status]]);
    expect(crawls.size).toBe(0);
  });

  test.each(['running', 'paused'])('is not called while the crawl is %s', async (status) => {
    const { calls, look } = withFinish(status);
    await look();
    expect(calls).toEqual([]);
  });

  test('is not called again while events are sent again', async () => {
    const { calls, look, sent } = withFinish('finished', ['HTTP 500', 'HTTP 500']);
    for (let i = 0; i < 4; i++) await look();
    expect(sent).toHaveLength(3);
    expect(calls).toHaveLength(1);
  });

  test.each([undefined, 'HTTP 500'])('is not begun after the end of the look (%s)', async (fault) => {
    const { calls, announcer, clock, crawls, onSend } = withFinish('finished', [fault]);
    onSend(() => clock.set(MINUTE));
    await announcer.look(clock.now() + MINUTE);
    expect(calls).toEqual([]);
    expect(crawls.get('news')).toMatchObject({ tries: fault ? 1 : 0, finishTries: 0 });
    onSend(() => {});
    await clock.advance(MINUTE);
    await announcer.look(clock.now() + MINUTE);
    expect([calls.length, crawls.size]).toEqual([1, 0]);
  });

  test('is called though a receiver takes all of its time and more', async () => {
    const { calls, announcer, clock, onSend, untils } = withFinish('finished', ['no time was left']);
    onSend(() => clock.set(untils[0]! - clock.now()));
    await announcer.look(clock.now() + MINUTE);
    expect(calls).toEqual([['news', 'finished']]);
  });

  test('is called once a try without success is noted, as the process may die in it', async () => {
    const { look, crawls } = withFinish('finished', ['HTTP 500'], 1);
    await look();
    expect(crawls.get('news')).toMatchObject({ tries: 1, finishTries: 1, isFinishDone: false });
  });

  test('is called again if the call has not come back, three times in all', async () => {
    const { calls, look, crawls, logged } = withFinish('finished', [], 100);
    for (let i = 0; i < 6; i++) await look();
    expect(calls).toHaveLength(3);
    expect(crawls.size).toBe(0);
    expect(logged.at(-1)).toMatchObject({ level: 'error', crawl: 'news', tries: 3 });
  });

  test('is called for the next end, too', async () => {
    const { calls, look, crawls } = withFinish('finished');
    await look();
    crawls.set('news', NEW);
    await look();
    expect(calls).toHaveLength(2);
  });
});

describe('receivers', () => {
  const event = (n: number): WebhookEvent => ({
    id: `${n}`,
    type: 'crawlFinished',
    time: '2026-11-24T00:00:00.000Z',
    crawl: 'news',
    data: { pages: n },
  });

  test('EventBridge gets ten entries at a time, with the source, the type and the stack', async () => {
    const calls: { input: { Entries: { Detail: string; Source: string; DetailType: string }[] } }[] = [];
    const client = {
      async send(call: never) {
        calls.push(call);
        return { FailedEntryCount: 0 };
      },
    };
    const bus = eventBus({ client: client as never, clock: createFakeClock(), stack: 'Strand' });
    expect(
      await bus.send(
        Array.from({ length: 23 }, (_, n) => event(n)),
        UNTIL,
      ),
    ).toBeUndefined();
    expect(calls.map(({ input }) => input.Entries.length)).toEqual([10, 10, 3]);
    const [entry] = calls[0]!.input.Entries;
    expect(entry).toMatchObject({ Source: 'strand.Strand', DetailType: 'crawlFinished' });
    expect(JSON.parse(entry!.Detail)).toMatchObject({ id: '0', stack: 'Strand', crawl: 'news' });
  });

  test('an entry that EventBridge refuses is a fault', async () => {
    const answer = { FailedEntryCount: 1, Entries: [{}, { ErrorCode: 'Throttled', ErrorMessage: 'slow' }] };
    const client = { send: async () => answer };
    const bus = eventBus({ client: client as never, clock: createFakeClock(), stack: 'Strand' });
    expect(await bus.send([event(1), event(2)], UNTIL)).toBe('EventBridge: Throttled: slow');
  });

  test('one that fails, or throws, keeps none of the others from the events', async () => {
    let received = 0;
    const sinks = [
      { send: async () => 'no' },
      { send: () => Promise.reject(new Error('broken')) },
      { send: async () => void received++ },
    ];
    expect(await allSinks(sinks).send([event(1)], UNTIL)).toBe('no; broken');
    expect(received).toBe(1);
  });
});
