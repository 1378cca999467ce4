/** Pages that scripts fill, and the requests that they make when they are rendered. */
import { expect, test } from 'vitest';
import type { Cause } from '../../../shared/core/causes/cause.ts';
import { shownPages } from '../../invariants/rendered.ts';
import { T0 } from '../../models/virtual-time.ts';
import type { PartRequest, Round, WebRequest } from '../../worlds/spec.ts';
import { crawlFacts, HOME, makeFacts, request, urlRecord, violationsOf } from './made-facts.ts';

const APP = 'http://a.test/parts/app.js';
const DATA = 'http://a.test/parts/data-0.json';
const other = (i: number) => `http://b.test/parts/other-0-0-${i}.json`;

const part = (url: string, from: number, to: number, more: Partial<PartRequest> = {}): PartRequest => ({
  ...request(url, from, to),
  isOther: url.includes('b.test'),
  ...more,
});
const round = (end: Round['end'], url = HOME): Round => ({ url, at: T0, end });
const home = (cause?: Cause) =>
  crawlFacts(
    [
      urlRecord(HOME, 'fetched', 200, {
        ...(cause && { result: { fetchedAt: 0, httpStatus: 200, digest: new Uint8Array(20), cause } }),
      }),
    ],
    {
      config: { render: 'always' },
    },
  );
const NOT_RENDERED: Cause = { code: 'notRendered', reason: 'crashed' };

const made = (
  invariant: string,
  {
    parts = [],
    rounds = [round('needs'), round('filled')],
    log = [],
    cause,
  }: {
    readonly parts?: readonly PartRequest[];
    readonly rounds?: readonly Round[];
    readonly log?: readonly WebRequest[];
    readonly cause?: Cause;
  },
) => {
  const facts = makeFacts({ log, crawls: [home(cause)], rounds });
  const web = { ...facts.web, parts, isScripted: (url: string) => url === HOME };
  return violationsOf(invariant, { ...facts, web });
};

test('a page that was not rendered without a reason is found, and so is one that counts as rendered', () => {
  expect(made('rendered', {})).toEqual([]);
  expect(made('rendered', { rounds: [round('needs')] })).toEqual([
    expect.stringContaining('no round of it has ended well'),
  ]);
  expect(made('rendered', { cause: NOT_RENDERED, rounds: [round('needs'), round('failed')] })).toEqual([]);
  expect(made('rendered', { cause: NOT_RENDERED })).toEqual([
    expect.stringContaining('no round of it has failed'),
  ]);
});

test('a round that was the last one though there was time is found', () => {
  const last = (lastWithMs: number) =>
    made('rendered', { rounds: [round('needs'), { ...round('filled'), lastWithMs }] });
  expect(last(6000)).toEqual([]);
  expect(last(7000)).toEqual([expect.stringContaining(`the last round of ${HOME} began with 7.000 s left`)]);
});

test('a request of a page that is not in the archive is found', () => {
  expect(made('rendered', { parts: [part(APP, 1, 1.1)] })).toEqual([
    expect.stringContaining('1 times, the archive has 0 records'),
  ]);
});

test('what scripts bring was surely seen if each rendering was whole, and counts', () => {
  const shown = (rounds: Round[], cause?: Cause) => shownPages(rounds, [home(cause)])(HOME);
  expect(shown([round('needs'), round('filled')])).toBe(true);
  expect(shown([round('filled'), round('failed')])).toBe(false);
  expect(shown([round('filled')], NOT_RENDERED)).toBe(false);
  expect(shown([])).toBe(false);
});

test('requests of a page to its own host: a third one at once, and a page too soon, are found', () => {
  const three = [part(APP, 10, 12), part(DATA, 10, 12), part(DATA, 11, 12)];
  expect(made('partsApart', { parts: three.slice(0, 2) })).toEqual([]);
  expect(made('partsApart', { parts: three })).toEqual([expect.stringContaining('were in flight')]);
  const parts = [part(APP, 10, 12)];
  expect(made('partsApart', { parts, log: [request(HOME, 11, 11.5)] })).not.toEqual([]);
  expect(made('partsApart', { parts, log: [request(HOME, 12.2, 12.5)] })).not.toEqual([]);
  expect(made('partsApart', { parts, log: [request(HOME, 22, 22.5)] })).toEqual([]);
});

test('requests of pages to other hosts: too close, too many, after a refusal, or forbidden, are found', () => {
  expect(made('partsApart', { parts: [part(other(0), 1, 2), part(other(1), 2.2, 3)] })).toEqual([]);
  expect(made('partsApart', { parts: [part(other(0), 1, 2), part(other(1), 2.1, 3)] })).toHaveLength(1);
  const refused = part(other(0), 1, 2, { httpStatus: 503 });
  expect(made('partsApart', { parts: [refused, part(other(1), 50, 51)] })).toHaveLength(1);
  expect(made('partsApart', { parts: [refused, part(other(1), 63, 64)] })).toEqual([]);
  const many = Array.from({ length: 21 }, (_, i) => part(other(i), i, i + 0.5));
  expect(made('partsApart', { parts: many.slice(1) })).toEqual([]);
  expect(made('partsApart', { parts: many })).toHaveLength(1);
  const rules = part('http://b.test/robots.txt', 1, 2, { isRobots: true, robotsVersion: 1 });
  expect(made('partsApart', { parts: [rules, part(other(0), 3, 4)] })).toEqual([
    expect.stringContaining('is forbidden'),
  ]);
});
