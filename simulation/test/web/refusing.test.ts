import { describe, expect, test } from 'vitest';
import { createChance } from '../../web/chance.ts';
import type { WebHost } from '../../web/hosts.ts';
import { createRefusing } from '../../web/refusing.ts';

const DAY = 86_400_000;
const host = (number: number): WebHost => ({
  ...{ number, key: `h${number}.sim.test`, kind: 'ordinary', scheme: 'http', pages: 3, medianMs: 5 },
});
const pageOf = (number: number, page: number) =>
  ({ what: 'page', host: host(number), page, isWrongScheme: false }) as const;
const NUMBERS = Array.from({ length: 300 }, (_, i) => i);

describe('hosts that refuse', () => {
  const refusing = createRefusing({ refusingShare: 1 }, createChance(7));
  const refusesPage = (number: number, page: number, age: number) =>
    refusing.of(pageOf(number, page), age) !== undefined;

  test('there are none unless the shape says so', () => {
    const none = createRefusing({}, createChance(7));
    expect(NUMBERS.filter((number) => none.of(pageOf(number, 0), 0))).toEqual([]);
  });

  test('some refuse for ever, some for a time, some one page alone, and some their robots.txt', () => {
    const ofOne = NUMBERS.filter(
      (number) => [0, 1, 2].filter((page) => refusesPage(number, page, DAY)).length === 1,
    );
    const forTime = NUMBERS.filter((number) => refusesPage(number, 0, 0) && !refusesPage(number, 0, DAY));
    const later = NUMBERS.filter((number) => !refusesPage(number, 0, 0) && refusesPage(number, 0, DAY));
    const robots = NUMBERS.filter((number) => {
      const server = host(number);
      return refusing.of({ what: 'robots', host: server, server, isFirst: true }, DAY);
    });
    for (const some of [ofOne, forTime, later, robots]) {
      expect(some.length).toBeGreaterThan(5);
      expect(some.length).toBeLessThan(200);
    }
  });

  test('each kind of refusal is there, and one that is a failure like others', () => {
    const kinds = NUMBERS.map((number) => refusing.of(pageOf(number, 0), DAY)).flatMap((way) =>
      way ? (way.refusal?.kind ?? 'failure') : [],
    );
    expect(new Set(kinds)).toEqual(new Set(['challenged', 'blocked', 'priced', 'failure']));
  });
});
