import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_RECORD_HEAD, NotWarc } from '../../../shared/core/archive/read-warc.ts';
import { type ReadAt, type ScannedMember, scanMembers } from '../../../shared/core/archive/scan-members.ts';
import { encodeRecord, warcDate } from '../../../shared/core/archive/warc-record.ts';
import { joined, newId, T0 } from './captures.ts';

const fields = () => ({ 'WARC-Type': 'resource', 'WARC-Record-ID': newId(), 'WARC-Date': warcDate(T0) });

/** Returns the findings of a scan, and why it ended before the file's end. */
async function scan(read: ReadAt): Promise<{ members: ScannedMember[]; problem?: string }> {
  const members: ScannedMember[] = [];
  try {
    for await (const member of scanMembers(read)) members.push(member);
    return { members };
  } catch (error) {
    expect(error).toBeInstanceOf(NotWarc);
    return { members, problem: (error as Error).message };
  }
}

const readerOf =
  (file: Uint8Array): ReadAt =>
  async (offset, length) =>
    file.subarray(offset, offset + length);

/** Reads return at most this number of bytes, except the few of a member's head or end. */
const readingPieces =
  (file: Uint8Array, pieceBytes: number): ReadAt =>
  async (offset, length) =>
    file.subarray(offset, offset + (length > 1000 ? Math.min(length, pieceBytes) : length));

/**
 * The read for a small member, of 256 KiB, gives too little, so that each is treated as a large one. Those for a gzip
 * header with a long extra field are smaller: up to 160 KiB.
 */
const readingAsLarge =
  (file: Uint8Array): ReadAt =>
  async (offset, length) =>
    file.subarray(offset, offset + (length > 200_000 ? 5 : length));

test('scanning finds each whole member of a file cut anywhere, however its reads fall', async () => {
  const packings = fc.constantFrom('store' as const, 'deflate' as const);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(3000), packings), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 4000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (sizes, pieceBytes, cutShare) => {
        const members: Buffer[] = [];
        for (const [size, packing] of sizes) {
          const body = Buffer.from(Array.from({ length: size }, (_, i) => i * i).join(' ')).subarray(0, size);
          members.push(await joined(encodeRecord(fields(), body.subarray(0, 10), body, packing)));
        }
        const file = Buffer.concat(members);
        const ends = members.map((_, i) => Buffer.concat(members.slice(0, i + 1)).length);
        const cut = Math.floor(file.length * cutShare);
        const found = await scan(readingPieces(file.subarray(0, cut), pieceBytes));
        expect(found.members.map(({ offset, length }) => offset + length)).toEqual(
          ends.filter((end) => end <= cut),
        );
        expect(found.problem === undefined).toBe(cut === 0 || ends.includes(cut));
      },
    ),
  );
});

test('scanning takes no member whose content a flipped bit has changed', async () => {
  const members = [];
  for (let i = 0; i < 3; i++)
    members.push(await joined(encodeRecord(fields(), Buffer.from('x'.repeat(100)))));
  const file = Buffer.concat(members);
  const content = gunzipSync(file);
  for (let bit = 0; bit < members[1]!.length * 8; bit++) {
    const broken = Buffer.from(file);
    broken[members[0]!.length + (bit >> 3)]! ^= 1 << (bit & 7);
    const found = await scan(readerOf(broken));
    // Some bits are idle: the time in the member's head, the last bits of the last byte of the deflate
    // stream.
    if (found.members.length === 3) expect(gunzipSync(broken).equals(content)).toBe(true);
    else expect(found.members).toHaveLength(1);
  }
});

/** Around the limits of a small member: 256 KiB as stored, 1 MiB inflated. */
const sizes = fc.oneof(
  fc.record({ packing: fc.constant('store' as const), size: fc.nat(3000) }),
  fc.record({ packing: fc.constant('store' as const), size: fc.integer({ min: 260_500, max: 262_500 }) }),
  fc.record({ packing: fc.constant('deflate' as const), size: fc.nat(100_000) }),
  fc.record({
    packing: fc.constant('deflate' as const),
    size: fc.integer({ min: 1_047_500, max: 1_049_500 }),
  }),
);

const NOISE = Buffer.from(Uint8Array.from({ length: 1_050_000 }, (_, i) => (i * i) >> (i % 7)));

test('a small member is judged as it would be as a large one: whole, cut or corrupt', async () => {
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  const harm = fc.oneof(
    fc.constant(undefined),
    fc.record({ cutTo: place }),
    fc.record({ cutOff: fc.nat(20) }),
    fc.record({ at: place, byte: fc.nat(255) }),
    fc.record({ fromEnd: fc.nat(20), byte: fc.nat(255) }),
    fc.record({ fromStart: fc.nat(20), byte: fc.nat(255) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(sizes, { minLength: 1, maxLength: 4 }), harm, async (given, harm) => {
      const pieces = given.map(({ packing, size }) =>
        joined(encodeRecord(fields(), NOISE.subarray(0, 20), NOISE.subarray(0, size), packing)),
      );
      let file = Buffer.concat(await Promise.all(pieces));
      if (harm && 'cutTo' in harm) file = file.subarray(0, Math.floor(file.length * harm.cutTo));
      else if (harm && 'cutOff' in harm) file = file.subarray(0, file.length - harm.cutOff);
      else if (harm && 'at' in harm) file[Math.floor((file.length - 1) * harm.at)] = harm.byte;
      else if (harm && 'fromEnd' in harm) file[file.length - 1 - harm.fromEnd] = harm.byte;
      else if (harm) file[harm.fromStart] = harm.byte;
      const found = await scan(readerOf(file));
      expect(found).toEqual(await scan(readingAsLarge(file)));
      if (!harm) expect(found.members).toHaveLength(given.length);
    }),
    { numRuns: 60 },
  );
});

/** The member with the optional fields of RFC 1952, section 2.3.1, that `flags` names. */
function withFlags(member: Uint8Array, flags: number, extraBytes = 12): Buffer {
  const extra = Buffer.alloc(2 + extraBytes, 0x1f);
  extra.writeUInt16LE(extraBytes);
  const start = Buffer.from(member.subarray(0, 10));
  start[3] = flags;
  const name = Buffer.from('a name\0');
  return Buffer.concat([
    start,
    ...(flags & 4 ? [extra] : []),
    ...(flags & 8 ? [name] : []),
    ...(flags & 16 ? [name] : []),
    ...(flags & 2 ? [Buffer.alloc(2)] : []),
    member.subarray(10),
  ]);
}

test('the header of a member may have an extra field, as those of wget, a name, a comment and a CRC', async () => {
  const body = NOISE.subarray(0, 3000);
  const member = await joined(encodeRecord(fields(), body.subarray(0, 10), body.subarray(10)));
  for (const flags of [1, 2, 4, 8, 16, 31]) {
    const made = withFlags(member, flags);
    for (const read of [readerOf, readingAsLarge]) {
      const { members, problem } = await scan(read(Buffer.concat([made, made])));
      expect([members.map(({ offset }) => offset), problem]).toEqual([[0, made.length], undefined]);
    }
    // Cut within the header.
    for (let length = 1; length < made.length - member.length + 10; length++)
      expect((await scan(readerOf(made.subarray(0, length)))).problem).toMatch(/^Member at 0: /);
  }
  const long = withFlags(member, 4, 65_535);
  for (const read of [readerOf, readingAsLarge])
    expect((await scan(read(long))).members.map(({ length }) => length)).toEqual([long.length]);
  expect((await scan(readerOf(withFlags(member, 32)))).problem).toMatch(
    /expected a gzip member.*, got 1f8b0820/,
  );
  const endless = Buffer.concat([withFlags(member, 8).subarray(0, 10), Buffer.alloc(400_000, 'a')]);
  expect((await scan(readerOf(endless))).problem).toMatch(/expected a gzip member/);
});

test('a member comes with the beginning of its block, however large it is', async () => {
  for (const size of [0, 5, 100_000, MAX_RECORD_HEAD, 900_000]) {
    const block = NOISE.subarray(0, size);
    const file = await joined(encodeRecord(fields(), block.subarray(0, 5), block.subarray(5), 'store'));
    for (const read of [readerOf(file), readingAsLarge(file)]) {
      const [member] = (await scan(read)).members;
      expect(Buffer.compare(member!.blockStart, block.subarray(0, MAX_RECORD_HEAD))).toBe(0);
    }
  }
});

test('a read that fails is no fault of the file: it is thrown as it is, wherever it happens', async () => {
  const bodies = [100, 400_000, 100].map((size) => NOISE.subarray(0, size));
  const pieces = bodies.map((body) => joined(encodeRecord(fields(), Buffer.from('head'), body, 'store')));
  const file = Buffer.concat(await Promise.all(pieces));
  const failure = new Error('the connection broke');

  async function scanFailingAt(failAt: number): Promise<'whole' | 'thrown'> {
    let reads = 0;
    const scanned = scanMembers(async (offset, length) => {
      if (++reads === failAt) throw failure;
      return file.subarray(offset, offset + length);
    });
    let members = 0;
    try {
      for await (const _ of scanned) members++;
    } catch (error) {
      expect(error).toBe(failure);
      return 'thrown';
    }
    // Or it was of a read ahead that nobody came to need.
    expect(members).toBe(3);
    return 'whole';
  }

  for (let failAt = 1; failAt <= 8; failAt++) expect(await scanFailingAt(failAt)).toBe('thrown');
  for (let failAt = 9; failAt <= 20; failAt++) await scanFailingAt(failAt);
});
