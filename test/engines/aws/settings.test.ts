import { describe, expect, test } from 'vitest';
import { parseStackSettings } from '../../../shared/engines/aws/settings.ts';
import { SETTINGS } from '../../functions/fake-stack.ts';

const parsed = (changes: object) => parseStackSettings(JSON.stringify({ ...SETTINGS, ...changes }));
const url = (name: string) => `https://sqs.us-east-1.amazonaws.com/1/${name}`;

describe('the queues of a stack', () => {
  test('may be listed one by one', () => {
    const turnQueueUrls = [url('a.fifo'), url('b.fifo')];
    expect(parsed({ turnQueueUrls }).turnQueueUrls).toEqual(turnQueueUrls);
  });

  test('or by a pattern and their number', () => {
    const settings = parsed({
      turnQueueUrls: { pattern: url('Strand-turns-*.fifo'), count: 3 },
      linkShardUrls: { pattern: url('Strand-links-*'), count: 2 },
    });
    expect(settings.turnQueueUrls).toEqual([0, 1, 2].map((n) => url(`Strand-turns-${n}.fifo`)));
    expect(settings.linkShardUrls).toEqual([url('Strand-links-0'), url('Strand-links-1')]);
  });

  test('in which links are gathered by hosts are none where they are not configured', () => {
    expect(parsed({ linkShardUrls: undefined }).linkShardUrls).toEqual([]);
  });

  test.each([
    [[], 'at least one turn queue'],
    [{ pattern: url('turns.fifo'), count: 2 }, 'turnQueueUrls'],
    [{ pattern: url('*-turns-*.fifo'), count: 2 }, 'turnQueueUrls'],
    [{ pattern: url('turns-*.fifo'), count: 0 }, 'turnQueueUrls'],
    [{ pattern: url('turns-*.fifo'), count: 65 }, 'turnQueueUrls'],
    [{ pattern: url('turns-*.fifo') }, 'turnQueueUrls'],
  ])('may not be %j', (turnQueueUrls, message) => {
    expect(() => parsed({ turnQueueUrls })).toThrow(message);
  });
});

test('a pattern represents one queue at least', () => {
  const pattern = url('Strand-links-*');
  expect(() => parsed({ linkShardUrls: { pattern, count: 0 } })).toThrow('linkShardUrls');
  expect(parsed({ linkShardUrls: { pattern, count: 1 } }).linkShardUrls).toEqual([url('Strand-links-0')]);
});
