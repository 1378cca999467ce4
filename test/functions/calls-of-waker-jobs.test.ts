/** The jobs of the waker beside waking hosts: what each calls, in which order and when, and what follows a failure. */
import { describe, test } from 'vitest';
import { Announcer } from '../../functions/announcer.ts';
import { createAttention } from '../../functions/attention.ts';
import { createCrawlEnd } from '../../functions/crawl-end.ts';
import { StackWatch } from '../../functions/stack-watch.ts';
import { NO_TOTALS } from '../../shared/core/frontier/host-totals.ts';
import { withFirstPass } from '../../shared/crawler/crawl-state/first-pass.ts';
import type { CrawlRecord, CrawlTotals } from '../../shared/crawler/ports/crawl-registry.ts';
import type { StateChange } from '../../shared/crawler/ports/shared-state.ts';
import type { WatchState } from '../../shared/engines/aws/state/attention-notes.ts';
import type { UnannouncedCrawl } from '../../shared/engines/aws/state/unannounced.ts';
import type { StrandConfig } from '../../shared/services/project/project.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import type { WebhookEvent } from '../../shared/services/webhook/webhook.ts';
import { RECORD } from '../contract/subjects.ts';
import { T0 } from '../crawler/worker/fake-clock.ts';
import { openGolden } from '../golden.ts';
import { afterFailures, type CallRecord, linesOf, type Work } from './call-record.ts';

const golden = openGolden('calls-of-waker-jobs.txt', import.meta.url);

/** The calls of the work, and what follows the failure of each. */
async function compare(name: string, work: Work): Promise<void> {
  golden.compare(name, await linesOf(work));
  golden.compare(`${name}, if a call fails`, await afterFailures(work));
}

const MINUTE = 60_000;
const HOUR = 3_600_000;

const recordOf = (fields: Partial<CrawlRecord>): CrawlRecord => ({ ...RECORD, ...fields });
const summaryOf = (crawl: string, record: CrawlRecord) =>
  ({
    ...{ state: record.status, reasonCode: record.why?.code, reason: record.why?.text },
    ...{ seconds: 61.5, pages: 3, urls: {}, hosts: 2, bytes: 40, byStatus: {}, errors: {} },
    setAside: crawl === 'news' ? [{ host: 'x.test', cause: 'it is down', causeCode: 'other' }] : [],
  }) as unknown as CrawlSummary;

describe('the announcer', () => {
  const note = (crawl: string, more: Partial<UnannouncedCrawl> = {}): UnannouncedCrawl => ({
    ...{ crawl, entry: `entry of ${crawl}`, tries: 0, retryAt: 0, finishTries: 0, isFinishDone: false },
    ...more,
  });

  /** Crawls in each state, announced to a receiver that has these faults, in two looks. */
  const announcing =
    (crawls: Readonly<Record<string, Partial<CrawlRecord>>>, notes: UnannouncedCrawl[], faults: string[]) =>
    (record: CallRecord): ReturnType<Work> => {
      const records = new Map(Object.entries(crawls).map(([id, fields]) => [id, recordOf(fields)]));
      const open = new Map(notes.map((one) => [one.crawl, one]));
      const change = async (changed: Partial<UnannouncedCrawl> & { crawl: string }) =>
        void open.set(changed.crawl, { ...(open.get(changed.crawl) as UnannouncedCrawl), ...changed });
      const left = [...faults];
      const announcer = new Announcer({
        registry: record.watch({
          load: async (crawl: string) => records.get(crawl),
          loadUnannounced: async (crawl: string) => open.get(crawl),
          noteAnnounced: async ({ crawl }: { crawl: string }) => void open.delete(crawl),
          noteFirstPass: async (crawl: string, noted: { at: number }) =>
            void records.set(crawl, withFirstPass(records.get(crawl) as CrawlRecord, noted)),
          delayAnnouncement: change,
          noteFinish: change,
        }),
        ...record.watch(
          {
            summarize: async (crawl: string, of: CrawlRecord) => summaryOf(crawl, of),
            finish: async (_crawl: string, _record: CrawlRecord) => {},
          },
          { summarize: (crawl) => crawl, finish: (crawl, { status }) => `${crawl} ${status}` },
        ),
        sink: record.watch(
          { send: async (_events: readonly WebhookEvent[]) => left.shift() || undefined },
          { send: (events) => events.map(({ crawl, type, time, data }) => [crawl, type, time, data]) },
        ),
        clock: record.clock,
        log: record.log,
      });
      return {
        run: async () => {
          for (let look = 0; look < 2; look++) {
            if (look > 0) record.pass(MINUTE);
            for (const crawl of [...open.keys()])
              record.note('again', await announcer.look(crawl, T0 + HOUR));
          }
        },
      };
    };

  test('calls what it does, and says what fails', async () => {
    const work = announcing(
      {
        news: { status: 'finished', firstPass: { at: T0 - 5000 } },
        held: { status: 'stopped' },
        on: { status: 'running', firstPass: { at: T0 - 9000 } },
        runs: { status: 'running' },
        spent: { status: 'paused', why: { code: 'maxCost', text: 'too much' } },
        paused: { status: 'paused' },
        hook: { status: 'limited' },
      },
      [
        note('gone'),
        note('news'),
        note('later', { tries: 5, retryAt: T0 + HOUR }),
        note('held'),
        note('on', { tries: 2, retryAt: T0 + 20_000 }),
        note('runs'),
        note('spent', { tries: 29 }),
        note('paused'),
        note('hook', { finishTries: 3 }),
      ],
      ['down', '', '', 'down'],
    );
    await compare('the announcer of crawls in each state', work);
  });
});

describe('the end of a crawl', () => {
  const ending =
    (config: Partial<CrawlRecord['config']>, project: StrandConfig) =>
    (record: CallRecord): ReturnType<Work> => {
      const stored: StateChange[] = [];
      const end = createCrawlEnd({
        ...record.watch({
          load: async () => project,
          async summarize(crawl: string, of: CrawlRecord) {
            return summaryOf(crawl, of);
          },
          beginExport: async (_crawl: string, _request: object, _id: string) => {},
        }),
        state: record.watch(
          {
            readNow: async (_crawl: string) => Object.assign(new Map([['n', '4']]), { chars: 1 }),
            change: async (_crawl: string, changes: readonly StateChange[]) => ({
              isWritten: stored.push(...changes) > 0,
            }),
          },
          { change: (crawl, changes) => [crawl, changes.map(({ key, apply }) => [key, apply('10')])] },
        ),
        clock: record.clock,
        log: record.log,
      });
      return {
        run: () => end('news', recordOf({ status: 'finished', config: { ...RECORD.config, ...config } })),
      };
    };

  test('calls what it does, and says what fails', async () => {
    const work = ending(
      { documents: true },
      {
        async onFinish({ pages }, { state }) {
          state.set('pages', pages);
          state.update<number>('n', (n = 0) => n + 1);
        },
      },
    );
    await compare('the end of a crawl whose onFinish changes the state', work);
    const failing = ending(
      {},
      {
        onFinish(_, { state }) {
          state.delete('n');
          throw new Error('no mail today');
        },
      },
    );
    golden.compare('the end of a crawl whose onFinish fails', await linesOf(failing));
    golden.compare('the end of a crawl with a plain onFinish', await linesOf(ending({}, { onFinish() {} })));
    golden.compare('the end of a crawl without onFinish', await linesOf(ending({}, {})));
  });
});

describe('the watch of the stack', () => {
  test('calls what it does, and says what fails', async () => {
    const work: Work = (record) => {
      const dead = { DeadTurns: 0, DeadLinks: 3 };
      let kept: WatchState | undefined;
      const announced = new Map([['Spend', T0 - HOUR]]);
      const crawls: Record<string, Partial<CrawlTotals>> = {
        a: {
          requests: 300,
          errors: { connect: 5, onPage: 7 },
          httpStatus: { 200: 90, 503: 8, 404: 3 },
          cost: 2,
        },
        b: { requests: 50, activeMs: HOUR },
      };
      const notes = record.watch({
        load: async () => ({ announced, ...(kept && { state: kept }) }),
        async store(state: WatchState) {
          kept = state;
        },
        claim: async (_trouble: string, _repeatMs: number) => true,
        forget: async (trouble: string) => void announced.delete(trouble),
      });
      const watch = new StackWatch({
        now: record.clock.now,
        notes,
        attention: createAttention({
          stack: 'S',
          now: record.clock.now,
          log: record.log,
          write: (line) => record.note('write', line),
          notes,
        }),
        ...record.watch({
          deadLetters: async (trouble: 'DeadTurns' | 'DeadLinks') => dead[trouble],
        }),
        maxCostPerHour: 5,
      });
      const look = (ids: readonly string[]) => {
        for (const id of ids) watch.note(id, { ...NO_TOTALS, activeMs: 0, ...crawls[id] });
        return watch.look();
      };
      return {
        async run() {
          await look(['a', 'b']);
          record.pass(MINUTE);
          await look(['a', 'b']);
          record.pass(4 * MINUTE);
          dead.DeadLinks = 0;
          crawls.a = { ...crawls.a, requests: 800, errors: { connect: 305 }, cost: 9.126 };
          crawls.c = { requests: 7, cost: 1, activeMs: 4 * MINUTE };
          await look(['a', 'c']);
          record.pass(5 * MINUTE);
          await look(['c']);
        },
      };
    };
    await compare('the watch of the stack', work);
  });
});
