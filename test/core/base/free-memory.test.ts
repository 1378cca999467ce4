import { describe, expect, test } from 'vitest';
import { freeMemory, leastOwnBytes } from '../../../shared/core/base/free-memory.ts';

describe('freeMemory', () => {
  test('takes a large buffer of its own away from all who hold it', () => {
    const bytes = Buffer.allocUnsafe(leastOwnBytes());
    const other = bytes.subarray(100);
    freeMemory(bytes);
    expect(bytes.length).toBe(0);
    expect(other.length).toBe(0);
  });

  test('leaves alone what others may share', () => {
    const pooled = Array.from({ length: 3 }, () => Buffer.allocUnsafe(leastOwnBytes() - 1));
    for (const bytes of pooled) freeMemory(bytes);
    expect(pooled.map(({ length }) => length)).toEqual(pooled.map(() => leastOwnBytes() - 1));
    const small = new Uint8Array(100);
    freeMemory(small);
    expect(small.length).toBe(100);
  });

  test('does nothing to what is freed already, or not of one thread alone', () => {
    const bytes = new Uint8Array(100_000);
    freeMemory(bytes);
    freeMemory(bytes);
    const shared = new Uint8Array(new SharedArrayBuffer(100_000));
    freeMemory(shared);
    expect(shared.length).toBe(100_000);
  });
});
