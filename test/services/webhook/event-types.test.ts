import { expect, test } from 'vitest';
import * as types from '../../../shared/services/webhook/event-types.ts';

test('events on the bus have the names by which rules of stacks that are deployed already know them', () => {
  const { eventSource, ...ofStack } = types;
  expect(eventSource('News')).toBe('strand.News');
  expect(ofStack).toEqual({
    COMPACT_MORE: 'compactMore',
    START_SMALL: 'startSmallWorker',
    EXPORT_MORE: 'exportMore',
  });
});
