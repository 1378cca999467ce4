import { describe, expect, test } from 'vitest';
import type { Message } from '../../../shared/core/frontier/message.ts';
import type { Delivery } from '../../../shared/crawler/ports/turn-queue.ts';
import { areSuspicious, lostTurns } from '../../../shared/crawler/turn/lost-turns.ts';
import { createReceives } from '../../../shared/crawler/worker/receives.ts';

const crawl = 'c';
const delivery = (id: string, receiveCount: number, message: Message): Delivery => ({
  id,
  receiveCount,
  message,
});
const token = (name: string, count: number, caution?: 1 | 2) =>
  delivery(name, count, { kind: 'token', crawl, token: name, ...(caution && { caution }) });
const wake = (count: number) => delivery('w', count, { kind: 'wake', crawl });
const KNOWN = { token: 't', version: 5 };
const NEW = { version: 0 };
const NOW = 1000;
const DUE = { version: 5, dueAt: NOW };
const AT_REST = { version: 5, dueAt: NOW + 1 };
const received = (deliveries: readonly Delivery[]) => ({ host: 'h', deliveries, leaseUntil: 0 });

describe('turns that were lost', () => {
  test.each([
    ['the token came for the first time', [token('t', 1)], KNOWN, 0],
    ['the token has come back', [token('t', 3)], KNOWN, 2],
    ['only older messages have come back', [token('s', 4), wake(3), token('t', 1)], KNOWN, 0],
    ['a message of a new host has come back', [wake(2)], NEW, 1],
    ['a message of a known host has come back, as after each rest', [wake(2)], KNOWN, 0],
    ['it has come back more often', [wake(4)], KNOWN, 2],
    [
      'a message of a host that is still due has come back: it was woken, and has had no turn',
      [wake(2)],
      DUE,
      1,
    ],
    ['a message of a host at rest has come back: it was served', [wake(2)], AT_REST, 0],
  ])('%s', (_, deliveries, head, expected) => {
    expect(lostTurns(deliveries, head, createReceives(), NOW)).toBe(expected);
  });

  test('are not those of which this process has received the message: it is alive', () => {
    const receives = createReceives();
    receives.note(received([token('t', 1)]));
    receives.note(received([token('t', 3)]));
    expect(lostTurns([token('t', 3)], KNOWN, receives, NOW)).toBe(1);
    expect(areSuspicious([token('t', 3)], receives)).toBe(false);
  });
});

test('a turn that failed counts as lost', () => {
  const receives = createReceives();
  receives.note(received([token('t', 1)]));
  receives.forget(received([token('t', 1)]));
  receives.note(received([token('t', 2)]));
  expect(lostTurns([token('t', 2)], KNOWN, receives, NOW)).toBe(1);
});

test.each([
  ['two turns were lost', [token('t', 3)], true],
  ['one was lost', [token('t', 2)], false],
  ['one was lost after a small one', [token('t', 2, 1)], true],
  ['URLs are announced', [token('t', 1, 2)], true],
  ['the turns are small', [token('t', 1, 1)], false],
  ['an older token says so', [token('s', 3, 2), token('t', 1)], false],
  ['there is no token', [wake(3)], true],
])('a host is suspicious if %s', (_, deliveries, is) => {
  expect(areSuspicious(deliveries, createReceives())).toBe(is);
});

test('the oldest deliveries are forgotten', () => {
  const receives = createReceives(2);
  for (const id of ['a', 'b', 'a', 'c']) receives.note(received([token(id, 1)]));
  expect(['a', 'b', 'c'].map((id) => receives.of(id))).toEqual([2, 0, 1]);
});
