import { createHash } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Body } from '../../../shared/core/outcome/body.ts';
import { createBodySpool, newBodySpace } from '../../../shared/crawler/fetcher/spooled-body.ts';
import { temporaryFolder } from './servers.ts';

async function readChunks(body: Body): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.chunks()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Open files of this process below a folder (Linux). */
function openFiles(folder: string): number {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return links.filter((link) => link.startsWith(folder)).length;
}

describe('a spooled body', () => {
  test('gives back its pieces, in memory or from a file, as often as asked', async () => {
    const folder = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 9000 }), { maxLength: 20 }),
        fc.nat(60_000),
        async (pieces, most) => {
          const spool = createBodySpool(newBodySpace(folder.path), most);
          // The spool copies its input, which is read into pieces that share a buffer.
          const given = Buffer.concat(pieces);
          let at = 0;
          for (const { length } of pieces) {
            spool.append(given.subarray(at, at + length));
            at += length;
          }
          const body = spool.finish();
          const whole = Buffer.concat(pieces);
          expect(body.size).toBe(whole.length);
          expect(Buffer.from(body.sha1).equals(createHash('sha1').update(whole).digest())).toBe(true);
          for (let i = 0; i < 2; i++) {
            expect((await readChunks(body)).equals(whole)).toBe(true);
            expect(Buffer.from(await body.bytes()).equals(whole)).toBe(true);
          }
          await body.dispose();
        },
      ),
      { numRuns: 50 },
    );
    expect(folder.files()).toEqual([]);
  });

  test('is not held in an object for each byte, whatever the pieces', async () => {
    const spool = createBodySpool(newBodySpace('/nowhere'));
    for (let i = 0; i < 100_000; i++) spool.append(Uint8Array.of(i));
    let chunks = 0;
    for await (const _ of spool.finish().chunks()) chunks++;
    expect(chunks).toBeLessThan(10);
  });

  test.runIf(process.platform === 'linux')(
    'shares one file with all others, which ends with the last',
    async () => {
      const folder = temporaryFolder();
      const space = newBodySpace(folder.path);
      const spools = Array.from({ length: 300 }, () => createBodySpool(space, 10));
      for (const spool of spools) spool.append(Buffer.alloc(100));
      expect([folder.files().length, openFiles(folder.path)]).toEqual([0, 1]);
      const body = spools[0]!.finish();
      for (const spool of spools.slice(1)) spool.discard();
      const reading = body.bytes();
      await Promise.all([body.dispose(), body.dispose()]);
      expect((await reading).length).toBe(100);
      while (openFiles(folder.path) > 0) await new Promise(setImmediate);
      await expect(readChunks(body)).rejects.toThrow('disposed');
      const next = createBodySpool(space, 10);
      next.append(Buffer.alloc(200, 'b'));
      expect(Buffer.from(await next.finish().bytes()).toString()).toBe('b'.repeat(200));
    },
  );

  test('has its own bytes in the file, whatever others come and go between its pieces', async () => {
    const folder = temporaryFolder();
    const step = fc.record({ body: fc.nat(7), bytes: fc.integer({ min: 1, max: 200_000 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const space = newBodySpace(folder.path);
        const begin = () => ({ spool: createBodySpool(space, 10), pieces: [] as Buffer[] });
        const slots = Array.from({ length: 8 }, begin);
        let ended: { body: Body; whole: Buffer }[] = [];
        for (const [n, { body: at, bytes }] of steps.entries()) {
          const { spool, pieces } = slots[at]!;
          pieces.push(Buffer.alloc(bytes, n + 1));
          spool.append(Buffer.alloc(bytes, n + 1));
          if (pieces.length < 3) continue;
          ended.push({ body: spool.finish(), whole: Buffer.concat(pieces) });
          slots[at] = begin();
          if (n % 2 === 0) continue;
          for (const { body, whole } of ended) {
            expect(whole.equals(await body.bytes())).toBe(true);
            expect(whole.equals(await readChunks(body))).toBe(true);
            await body.dispose();
          }
          ended = [];
        }
        for (const { body, whole } of ended) {
          expect(whole.equals(await body.bytes())).toBe(true);
          await body.dispose();
        }
        for (const { spool } of slots) spool.discard();
      }),
      { numRuns: 40 },
    );
  });

  test.runIf(process.platform === 'linux')('goes to a file early where others fill the memory', async () => {
    const folder = temporaryFolder();
    const space = newBodySpace(folder.path, 100_000);
    const [first, second, small] = [0, 1, 2].map(() => createBodySpool(space));
    first!.append(Buffer.alloc(90_000));
    second!.append(Buffer.alloc(40_000));
    small!.append(Buffer.alloc(20_000));
    expect([space.usedBytes, openFiles(folder.path)]).toEqual([110_000, 1]);
    const bodies = [first!.finish(), second!.finish()];
    small!.discard();
    for (const body of bodies) await Promise.all([body.dispose(), body.dispose()]);
    expect(space.usedBytes).toBe(0);
  });

  test('in memory cannot be read once it is disposed of', async () => {
    const spool = createBodySpool(newBodySpace('/nowhere'));
    spool.append(Buffer.from('text'));
    const body = spool.finish();
    await body.dispose();
    await body.dispose();
    await expect(body.bytes()).rejects.toThrow('disposed');
    await expect(readChunks(body)).rejects.toThrow('disposed');
  });
});
