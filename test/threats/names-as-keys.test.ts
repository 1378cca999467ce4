/** Threat: a name from outside is also one that every object has. Nothing is hidden, counted wrongly or changed by it. */
import { describe, expect, test } from 'vitest';
import { StackWatch } from '../../functions/stack-watch.ts';
import { parseLinkText } from '../../shared/engines/aws/queues/link-message.ts';
import type { WatchState } from '../../shared/engines/aws/state/attention-notes.ts';
import { newCrawlSchema } from '../../shared/services/control/request-schemas.ts';

/** `news` shows that the test itself can see what it looks for. */
const NAMES = ['news', '__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf'];

describe.each(NAMES)('a crawl named %s', (name) => {
  test('sets off the alarm for what all crawls cost in an hour, in each process of the waker', async () => {
    let now = 0;
    let cost = 0;
    let stored: WatchState | undefined;
    const announced: string[] = [];
    const open = () =>
      new StackWatch({
        now: () => now,
        attention: { announce: async (trouble) => announced.push(trouble) > 0 },
        notes: {
          load: async () => ({ ...(stored && { state: stored }), announced: new Map() }),
          store: async (state) => {
            stored = JSON.parse(JSON.stringify(state));
          },
          claim: async () => true,
          forget: async () => {},
        },
        deadLetters: async () => 0,
        maxCostPerHour: 60,
      });
    for (let look = 0; look < 4; look++) {
      const watch = open();
      for (const id of [name, 'other'])
        watch.note(id, { requests: 0, errors: {}, httpStatus: {}, activeMs: now, cost });
      await watch.look();
      now += 300_000;
      cost += 20;
    }
    expect(announced).toContain('Spend');
  });
});

describe('a crawl whose name is no key', () => {
  test.each(['__proto__', '.', '..', 'a/b', 'a'.repeat(65), ''])('%j cannot be begun', (crawl) => {
    const seeds = ['https://a.test/'];
    expect(newCrawlSchema.safeParse({ crawl, seeds }).success).toBe(false);
    expect(() => parseLinkText(JSON.stringify({ crawl, urls: seeds }))).toThrow();
  });
});
