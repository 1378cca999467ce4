import { describe, expect, test } from 'vitest';
import { toThreadError } from '../../../api/local/thread-error.ts';
import { isRefusal } from '../../../cli/refusal.ts';
import { errorFields } from '../../../functions/log.ts';
import { isInstance, messageOf, stackOrMessageOf } from '../../../shared/core/base/error-message.ts';
import { storageFailure } from '../../../shared/core/base/storage-failed.ts';
import { oneLine, stackOf } from '../../../shared/services/hooks/run-hook.ts';
import { thrownValues } from '../../services/hooks/thrown-values.ts';

describe.each(await thrownValues())('%s', (name, value) => {
  test('has a message, which is a bounded text', () => {
    for (const message of [messageOf(value()), oneLine(messageOf(value())), stackOrMessageOf(value())]) {
      expect(message).toBeTypeOf('string');
      expect(message.length).toBeGreaterThan(0);
      expect(message.length).toBeLessThanOrEqual(10_000);
      expect(message.isWellFormed()).toBe(true);
    }
  });

  test('is looked at without an error wherever errors come together', () => {
    expect(stackOf(value()) ?? '').toBeTypeOf('string');
    expect(errorFields(value()).message).toBeTypeOf('string');
    expect(structuredClone(toThreadError(value())).message).toBeTypeOf('string');
    expect(isRefusal(value())).toBe(false);
    expect(isInstance(value(), RangeError)).toBe(false);
    expect(storageFailure(value()) === undefined).toBe(!name.includes('of the disk'));
  });
});

test.each<[unknown, string]>([
  [new Error('plain'), 'plain'],
  ['text', 'text'],
  [undefined, 'undefined'],
  [{ message: 'from elsewhere' }, 'from elsewhere'],
  [{ code: 12 }, '{ code: 12 }'],
  [Object.assign(new Error('API failed'), { message: { code: 12 } }), '{ code: 12 }'],
  [new TypeError(''), 'TypeError'],
  [Symbol('lost'), 'Symbol(lost)'],
  [Object.create(null), '[Object: null prototype] {}'],
  [AbortSignal.abort().reason, 'This operation was aborted'],
  ['', 'an error without a message'],
])('the message of %o is %s', (error, message) => {
  expect(messageOf(error)).toBe(message);
});
