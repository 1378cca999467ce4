import { describe, expect, test } from 'vitest';
import { announceNewer, createAttention } from '../../functions/attention.ts';
import { countDead, StackWatch } from '../../functions/stack-watch.ts';
import {
  type AttentionNotes,
  createAttentionNotes,
  type WatchState,
} from '../../shared/engines/aws/state/attention-notes.ts';
import { createSimCloud } from '../../simulation/models/cloud.ts';
import { drive } from '../../simulation/models/virtual-time.ts';
import { createFakeClock } from '../crawler/worker/fake-clock.ts';
import { fakeSqs } from '../engines/aws/queues/fake-sqs.ts';

const MINUTE = 60_000;

interface Usage {
  readonly requests?: number;
  readonly errors?: Record<string, number>;
  readonly httpStatus?: Record<string, number>;
  readonly cost?: number;
  readonly activeMs?: number;
}

/** A stack of these crawls, watched by processes that may be replaced. */
function setUp(crawls: Record<string, Usage>, dead = { DeadTurns: 0, DeadLinks: 0 }) {
  const cloud = createSimCloud({ seed: 1 });
  const process = cloud.begin('waker');
  const { clock } = process;
  const { dynamo } = cloud.clientsOf(process);
  const notes = createAttentionNotes({ dynamo, clock, table: cloud.settings.crawlState });
  const logged: Record<string, unknown>[] = [];
  const lines: Record<string, unknown>[] = [];
  const attention = createAttention({
    stack: 'S',
    now: clock.now,
    log: (level, fields) => void logged.push({ level, ...fields }),
    write: (line) => void lines.push(JSON.parse(line)),
    notes,
  });
  const open = () =>
    new StackWatch({
      now: clock.now,
      attention,
      notes,
      deadLetters: async (trouble) => dead[trouble],
      maxCostPerHour: 5,
    });
  let watch = open();
  const names = () => logged.map(({ trouble }) => trouble);
  return {
    clock,
    attention,
    notes,
    logged,
    lines,
    names,
    /** The waker has looked at these crawls. */
    async look(looked = Object.keys(crawls)) {
      for (const id of looked)
        watch.note(id, { requests: 0, errors: {}, httpStatus: {}, activeMs: 0, ...crawls[id] });
      await watch.look();
    },
    replace() {
      watch = open();
    },
    run: (work: () => Promise<void>) => drive(cloud.time, work()),
  };
}

/** A crawl that goes on: what it has used grows with each minute. */
function use(crawls: Record<string, Usage>, id: string, perMinute: Usage): void {
  const { requests = 0, httpStatus = {}, errors = {}, cost = 0, activeMs = 0 } = crawls[id] ?? {};
  const plus = (a: Record<string, number>, b: Record<string, number> = {}) => {
    const sum = { ...a };
    for (const key in b) sum[key] = (sum[key] ?? 0) + (b[key] as number);
    return sum;
  };
  crawls[id] = {
    requests: requests + (perMinute.requests ?? 0),
    httpStatus: plus(httpStatus, perMinute.httpStatus),
    errors: plus(errors, perMinute.errors),
    cost: cost + (perMinute.cost ?? 0),
    activeMs: activeMs + MINUTE,
  };
}

describe('a trouble', () => {
  test('is announced when it is found, once a day while it lasts, and again when it comes back', () => {
    const dead = { DeadTurns: 0, DeadLinks: 0 };
    const { look, run, clock, names, lines, logged, replace } = setUp({}, dead);
    return run(async () => {
      await look();
      expect(names()).toEqual([]);
      dead.DeadLinks = 3;
      await clock.sleep(5 * MINUTE);
      await look();
      expect(logged).toEqual([
        {
          level: 'warn',
          trouble: 'DeadLinks',
          message: 'There are dead messages of links or seeds',
          messages: 3,
        },
      ]);
      expect(lines).toMatchObject([
        { stack: 'S', Attention: 1 },
        { stack: 'S', trouble: 'DeadLinks', Attention: 1 },
      ]);
      expect(lines[0]).not.toHaveProperty('trouble');
      // For the rest of the day, also by another process.
      for (let hour = 0; hour < 23; hour++) {
        await clock.sleep(60 * MINUTE);
        if (hour === 10) replace();
        await look();
      }
      expect(names()).toHaveLength(1);
      await clock.sleep(60 * MINUTE);
      await look();
      expect(names()).toEqual(['DeadLinks', 'DeadLinks']);
      dead.DeadLinks = 0;
      replace();
      await clock.sleep(5 * MINUTE);
      await look();
      dead.DeadLinks = 1;
      await clock.sleep(5 * MINUTE);
      await look();
      expect(names()).toHaveLength(3);
    });
  });

  test('does not mask another one', () => {
    const dead = { DeadTurns: 1, DeadLinks: 0 };
    const { look, run, clock, names } = setUp({}, dead);
    return run(async () => {
      await look();
      dead.DeadLinks = 1;
      await clock.sleep(5 * MINUTE);
      await look();
      expect(names()).toEqual(['DeadTurns', 'DeadLinks']);
    });
  });

  test('is announced by the next look if it could not be counted, however soon that comes', async () => {
    const announced: unknown[] = [];
    let counts = 0;
    const watch = new StackWatch({
      now: () => 1_800_000_000_000,
      attention: { announce: async (...trouble) => announced.push(trouble) > 0 },
      notes: {
        load: async () => ({ state: undefined, announced: new Map() }),
        store: async () => {},
      } as unknown as AttentionNotes,
      async deadLetters() {
        if (counts++ === 0) throw new Error('asked too often');
        return 3;
      },
    });
    await expect(watch.look()).rejects.toThrow('asked too often');
    await watch.look();
    expect(announced).toEqual([
      ['DeadTurns', { messages: 3 }],
      ['DeadLinks', { messages: 3 }],
    ]);
  });

  test('is looked for every five minutes, though the waker runs each minute', () => {
    const crawls: Record<string, Usage> = { a: {} };
    const { look, run, clock, notes } = setUp(crawls);
    return run(async () => {
      for (let minute = 0; minute < 11; minute++) {
        await look();
        await clock.sleep(MINUTE);
      }
      expect((await notes.load()).state?.samples).toHaveLength(3);
    });
  });
});

describe('the cost of an hour', () => {
  const costing = async (
    dollars: readonly number[],
    {
      look,
      clock,
      crawls,
    }: Pick<ReturnType<typeof setUp>, 'look' | 'clock'> & { crawls: Record<string, Usage> },
  ) => {
    for (const cost of dollars) {
      for (let minute = 0; minute < 5; minute++) use(crawls, 'a', { cost: cost / 5 });
      await clock.sleep(5 * MINUTE);
      await look();
    }
  };

  test.each([
    ['is announced above the limit', [2, 2, 1.1], ['Spend']],
    ['is none below it', [2, 2, 0.9], []],
    ['forgets what was an hour ago', [4, ...Array(12).fill(0), 4], []],
  ])('%s', (_, dollars, troubles) => {
    const crawls: Record<string, Usage> = {};
    const set = setUp(crawls);
    return set.run(async () => {
      await set.look();
      await costing(dollars, { ...set, crawls });
      expect(set.names()).toEqual(troubles);
    });
  });

  test('is that of all crawls, however many run', () => {
    const crawls: Record<string, Usage> = {};
    const { look, run, clock, logged } = setUp(crawls);
    return run(async () => {
      await look();
      for (let n = 0; n < 25; n++) use(crawls, `c${n}`, { cost: 0.25 });
      await clock.sleep(5 * MINUTE);
      await look();
      expect(logged).toMatchObject([{ trouble: 'Spend', dollars: 6.25 }]);
    });
  });

  test('does not count what a crawl cost before the watch began, or before it was resumed', () => {
    const crawls: Record<string, Usage> = { old: { cost: 100, activeMs: 600 * MINUTE } };
    const { look, run, clock, names } = setUp(crawls);
    return run(async () => {
      await look();
      crawls.resumed = { cost: 50, activeMs: 700 * MINUTE };
      await clock.sleep(5 * MINUTE);
      await look();
      expect(names()).toEqual([]);
    });
  });

  test('counts all of a crawl that is new, and what one used before it ended, by another process too', () => {
    const crawls: Record<string, Usage> = { a: { cost: 1, activeMs: 600 * MINUTE } };
    const { look, run, clock, names, replace } = setUp(crawls);
    return run(async () => {
      await look();
      crawls.fresh = { cost: 3, activeMs: 4 * MINUTE };
      await clock.sleep(5 * MINUTE);
      await look();
      expect(names()).toEqual([]);
      crawls.fresh = { cost: 5.5, activeMs: 6 * MINUTE };
      replace();
      await clock.sleep(5 * MINUTE);
      // Its last look is the one that has found its end.
      await look(['a', 'fresh']);
      delete crawls.fresh;
      expect(names()).toEqual(['Spend']);
    });
  });
});

describe('the ratio of errors', () => {
  const failing = { requests: 60, httpStatus: { 503: 20, 200: 20 }, errors: { connect: 15 } };
  const few = { requests: 30, httpStatus: { 429: 30 } };
  const pages = { requests: 60, httpStatus: { 404: 50, 500: 10 }, errors: { onPage: 50, blockedPort: 9 } };

  test.each([
    ['of a quarter of an hour is announced', [failing, failing, failing], ['ErrorRatio']],
    ['of less is not', [failing, failing], []],
    ['with a better time in between is not', [failing, failing, pages, failing], []],
    ['of few requests is not', [few, few, few, few], []],
    ['leaves out errors of single pages, and our own', [pages, pages, pages], []],
  ])('%s', (_, rounds, troubles) => {
    const crawls: Record<string, Usage> = {};
    const { look, run, clock, names } = setUp(crawls);
    return run(async () => {
      await look();
      for (const each of rounds) {
        for (let minute = 0; minute < 5; minute++) use(crawls, 'a', each);
        await clock.sleep(5 * MINUTE);
        await look();
      }
      expect(names()).toEqual(troubles);
    });
  });
});

test('samples of the last hour are stored, and none from a time that has not come: the clock was set back', async () => {
  const at = 1_800_000_000_000;
  let now = at;
  const stored: WatchState[] = [];
  const sample = (ms: number) => ({ at: at + ms, figures: [1, 0, 0] as const });
  const samples = [-61, -60, -59.99, -30, 0, 0.01, 30].map((minutes) => sample(minutes * MINUTE));
  const watch = new StackWatch({
    now: () => now,
    attention: { announce: async () => true },
    notes: {
      load: async () => ({ state: { at: at + 30 * MINUTE, crawls: {}, samples }, announced: new Map() }),
      store: async (state: WatchState) => void stored.push(state),
      forget: async () => {},
      claim: async () => true,
    } as unknown as AttentionNotes,
    deadLetters: async () => 0,
  });
  const look = () => {
    watch.note('a', { requests: 1, errors: {}, httpStatus: {}, activeMs: 0 });
    return watch.look();
  };
  await look();
  expect(stored).toHaveLength(1);
  const times = () => stored.at(-1)?.samples.map((one) => (one.at - at) / MINUTE);
  expect(times()).toEqual([-59.99, -30, 0, 0]);
  for (let n = 0; n < 20; n++) {
    now += 5 * MINUTE;
    await look();
  }
  expect(times()).toEqual(Array.from({ length: 12 }, (_, n) => 45 + 5 * n));
});

test('no sample is added soon after that of another process', () => {
  const crawls: Record<string, Usage> = { a: { cost: 1 } };
  const { look, run, clock, notes, replace } = setUp(crawls);
  const samples = async () => (await notes.load()).state?.samples.length;
  return run(async () => {
    await look();
    await clock.sleep(4 * MINUTE);
    replace();
    await look();
    expect(await samples()).toBe(1);
    await clock.sleep(5 * MINUTE);
    await look();
    expect(await samples()).toBe(2);
  });
});

test('whether a trouble was announced is returned: it was not yet, or that was a day ago', async () => {
  const { attention, run, clock } = setUp({});
  await run(async () => {
    const announce = () => attention.announce('Spend', { dollars: 1 });
    expect([await announce(), await announce()]).toEqual([true, false]);
    await clock.sleep(25 * 60 * MINUTE);
    expect([await announce(), await announce()]).toEqual([true, false]);
  });
});

test('a newer format is announced once, by one process of all, and what fails there is tried again', () => {
  const { attention, clock, run, names, lines } = setUp({});
  const log = () => {};
  const [one, other] = [1, 2].map(() => announceNewer(attention, { now: clock.now, log }));
  return run(async () => {
    for (let i = 0; i < 3; i++) one?.('message version 3');
    other?.('message version 3');
    await clock.sleep(MINUTE);
    expect(names()).toEqual(['NewerFormat']);
    expect(lines).toHaveLength(2);
    const warned: object[] = [];
    let calls = 0;
    const broken = announceNewer(
      {
        announce: async () => {
          calls++;
          throw new Error('no table');
        },
      },
      { now: clock.now, log: (_, fields) => void warned.push(fields) },
    );
    broken('x');
    await clock.sleep(1);
    broken('x');
    await clock.sleep(1);
    expect(calls).toBe(2);
    expect(warned[0]).toMatchObject({ notAnnounced: 'NewerFormat', message: 'Error: no table' });
  });
});

test('dead letters are counted by queue', async () => {
  const { client, calls } = fakeSqs(() => ({ Attributes: { ApproximateNumberOfMessages: '4' } }));
  const count = countDead(client, { DeadTurns: 'turns', DeadLinks: 'links' }, createFakeClock());
  expect([await count('DeadTurns'), await count('DeadLinks')]).toEqual([4, 4]);
  expect(calls.map(({ input }) => input)).toMatchObject([{ QueueUrl: 'turns' }, { QueueUrl: 'links' }]);
});

test('dead letters are counted also while SQS refuses calls for their rate', async () => {
  let calls = 0;
  const { client } = fakeSqs(() => {
    if (calls++ === 0) throw Object.assign(new Error('slower'), { name: 'ThrottlingException' });
    return { Attributes: { ApproximateNumberOfMessages: '4' } };
  });
  const clock = { ...createFakeClock(), sleep: async () => {} };
  const count = countDead(client, { DeadTurns: 'turns', DeadLinks: 'links' }, clock);
  expect(await count('DeadTurns')).toBe(4);
});
