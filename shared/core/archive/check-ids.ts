/** The ids of records in WARC files and the references to them, in little memory. */
import { hash } from 'node:crypto';

/**
 * References kept until their target comes; more are not followed. References within a file rarely reach further than
 * one record.
 */
const MAX_AWAITED = 100_000;

export interface AwaitedId {
  readonly id: string;
  /** Where the record that refers to it stands. */
  readonly file: string;
  readonly offset: number;
}

export interface RecordIds {
  /** Notes the id of a record; false if there was one before. */
  add(id: string): boolean;
  /** Notes that a record refers to the id, which may come later. */
  expect(reference: AwaitedId): void;
  /** References whose target has not come. */
  missing(): AwaitedId[];
}

/**
 * Ids are kept as 64 bits of a hash: 16 to 32 bytes of memory each, however many files. Among a hundred
 * million ids two share a value with a chance of 1 in 4,000.
 */
export function createRecordIds(): RecordIds {
  const met = createHashSet();
  const awaited = new Map<string, AwaitedId>();
  return {
    add(id) {
      awaited.delete(id);
      return met.add(hashOf(id));
    },
    expect(reference) {
      if (awaited.size < MAX_AWAITED && !awaited.has(reference.id) && !met.has(hashOf(reference.id)))
        awaited.set(reference.id, reference);
    },
    missing: () => [...awaited.values()],
  };
}

function hashOf(id: string): bigint {
  // 0: a free slot.
  return hash('sha1', id, 'buffer').readBigUInt64LE(0) || 1n;
}

/** Open addressing with steps of one; at most half full. */
function createHashSet() {
  let slots = new BigUint64Array(1024);
  let count = 0;

  const placeOf = (value: bigint): number => {
    const mask = slots.length - 1;
    let at = Number(value & 0xffff_ffffn) & mask;
    while (slots[at] !== 0n && slots[at] !== value) at = (at + 1) & mask;
    return at;
  };
  const grow = () => {
    const before = slots;
    slots = new BigUint64Array(before.length * 2);
    for (const value of before) if (value !== 0n) slots[placeOf(value)] = value;
  };

  return {
    has: (value: bigint): boolean => slots[placeOf(value)] === value,
    add(value: bigint): boolean {
      const at = placeOf(value);
      if (slots[at] === value) return false;
      slots[at] = value;
      if (++count * 2 > slots.length) grow();
      return true;
    },
  };
}
