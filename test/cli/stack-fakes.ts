/** A control and a terminal that only remember. */
import type { Control } from '../../shared/services/control/control.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';

export const RUNNING: CrawlSummary = {
  exact: true,
  losses: {},
  sites: {},
  refusals: {},
  render: {},
  accounts: {},
  pages: 1234,
  urls: 6354,
  hosts: 52,
  bytes: 31_000_000,
  seconds: 134,
  byStatus: { waiting: 5120, fetched: 1200, redirect: 30, gone: 4, deniedByRobots: 0, skipped: 0, failed: 0 },
  httpStatus: { '200': 1200 },
  skipped: {},
  errors: { dns: 2, timeout: 1 },
  warcFiles: ['a.warc.gz'],
  state: 'running',
  crawl: 'news',
  rate: 9.2,
  cost: 0.00123,
  costByItem: {
    lambdaMbMs: 0.0008,
    dataOutBytes: 0.0002,
    sqsFifoRequests: 0.0001,
    dynamoWriteUnits: 0.00009,
    s3Puts: 0.00003,
    s3Gets: 0.00001,
    lambdaRequests: 0,
  },
  setAside: [],
  failing: [],
  seeds: { fetched: 1 },
  failedSeeds: [],
  hints: {},
  cache: {},
  overBudget: {},
  full: {},
  recrawl: {},
  hooks: {},
  hookErrors: [],
  requisites: {},
};

/** Answers by `answers`; any other call fails. Every call is kept with its arguments. */
export function fakeControl(answers: Partial<Control>): { control: Control; calls: unknown[][] } {
  const calls: unknown[][] = [];
  const control = new Proxy({} as Control, {
    get: (_, name: keyof Control) => {
      return async (...given: unknown[]) => {
        calls.push([name, ...given]);
        const method = answers[name] as ((...args: unknown[]) => unknown) | undefined;
        if (!method) throw new Error(`${name} is not expected`);
        return method(...given);
      };
    },
  });
  return { control, calls };
}

/** A stream that keeps what is written to it. */
export function paper(isTTY = false, columns = 200) {
  const written: string[] = [];
  return {
    isTTY,
    columns,
    written,
    text: () => written.join(''),
    write(text: string) {
      written.push(text);
      return true;
    },
    once() {
      throw new Error('never full');
    },
  };
}

/** A clock whose sleeps take no time, but are counted; `onSleep` is called with the time before each. */
export function fastClock(onSleep: (now: number) => void = () => {}) {
  let now = 0;
  return {
    now: () => now,
    async sleep(ms: number) {
      onSleep(now);
      now += ms;
    },
  };
}
