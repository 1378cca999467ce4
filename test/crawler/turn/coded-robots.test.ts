/** robots.txt, and files beside it, whose content coding is broken: no rule of theirs may be lost. */
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { usageFileKey } from '../../../shared/core/robots/usage-files.ts';
import { TDMREP_PATH } from '../../../shared/core/usage/tdmrep-file.ts';
import type { UsageKeeper } from '../../../shared/crawler/turn/usage-keeper.ts';
import { T0 } from '../worker/fake-clock.ts';
import { redirect } from '../worker/scripted-fetcher.ts';
import { driven, openTurn, type TurnSituation } from './turn-bench.ts';
import { ORIGIN } from './turn-fakes.ts';

const OWN = `${ORIGIN}/robots.txt`;
const MANY = Array.from({ length: 300 }, (_, i) => `Disallow: /${(i * 7919) % 10007}\n`).join('');
const TEXT = Buffer.from(`User-agent: *\n${MANY}Disallow: /last\n`);
const GZIP = zlib.gzipSync(TEXT);
const damaged = (bytes: Buffer, at: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[copy.length + at]! ^= 0x55;
  return copy;
};
const compress = Buffer.concat([Buffer.from([0x1f, 0x9d, 0x90]), GZIP]);
const answer = (coding: string, body: Buffer) => ({
  headers: { 'Content-Type': 'text/plain', ...(coding && { 'Content-Encoding': coding }) },
  body,
});

async function rulesBy(site: TurnSituation['site']) {
  const turn = await openTurn({ site });
  return driven(turn, turn.parts.robots.fetch(ORIGIN));
}

const READ: readonly (readonly [coding: string, body: Buffer])[] = [
  ['gzip', GZIP],
  ['x-gzip', GZIP],
  ['br', zlib.brotliCompressSync(TEXT)],
  ['zstd', zlib.zstdCompressSync(TEXT)],
  ['deflate', zlib.deflateSync(TEXT)],
  ['deflate', zlib.deflateRawSync(TEXT)],
  ['gzip', damaged(GZIP, -8)],
  ['gzip', damaged(GZIP, -1)],
  ['gzip', GZIP.subarray(0, -8)],
  ['gzip', Buffer.concat([GZIP, Buffer.from('<!-- cached -->')])],
  ['gzip', Buffer.concat([zlib.gzipSync(TEXT.subarray(0, 90)), zlib.gzipSync(TEXT.subarray(90))])],
  ['deflate', damaged(zlib.deflateSync(TEXT), -1)],
  ['utf-8, gzip', GZIP],
  ['gzip, aws-chunked', GZIP],
  ['utf-8', TEXT],
  ['gzip', TEXT],
  ['br', TEXT],
  ['', GZIP],
];

describe('all rules are read', () => {
  test.each(READ)('of a body in %j (%#)', async (coding, body) => {
    const access = await rulesBy({ [OWN]: answer(coding, body) });
    expect(access.kind).toBe('known');
    expect(access.kind === 'known' && access.rules.rules.length).toBe(301);
  });

  test('of a body behind a redirect', async () => {
    const there = `${ORIGIN}/there.txt`;
    const access = await rulesBy({
      [OWN]: redirect('/there.txt'),
      [there]: answer('gzip', damaged(GZIP, -8)),
    });
    expect(access.kind === 'known' && access.rules.rules.length).toBe(301);
  });
});

const BROKEN: readonly (readonly [coding: string, body: Buffer])[] = [
  ['gzip', GZIP.subarray(0, GZIP.length * 0.6)],
  ['gzip', GZIP.subarray(0, 12)],
  ['gzip', GZIP.subarray(0, 5)],
  ['deflate', zlib.deflateSync(TEXT).subarray(0, 400)],
  ['br', zlib.brotliCompressSync(TEXT).subarray(0, 300)],
  ['zstd', zlib.zstdCompressSync(TEXT).subarray(0, 300)],
  ['deflate', GZIP],
  ['br', GZIP],
  ['gzip', zlib.brotliCompressSync(TEXT)],
  ['compress', compress],
  ['gzip, compress', GZIP.subarray(0, 40)],
  ['gzip', Buffer.concat([damaged(GZIP, -8), Buffer.from('more')])],
  ['gzip', Buffer.concat([zlib.gzipSync(TEXT.subarray(0, 90)), GZIP.subarray(0, 50)])],
  ['', GZIP.subarray(0, 300)],
];

describe('a body that cannot be decoded to its end leaves its host unreachable', () => {
  test.each(BROKEN)('in %j (%#)', async (coding, body) => {
    const cause = { code: 'robotsUndecoded', detail: expect.any(String) };
    expect(await rulesBy({ [OWN]: answer(coding, body) })).toEqual({ kind: 'unreachable', cause });
    const there = `${ORIGIN}/there.txt`;
    const behind = await rulesBy({ [OWN]: redirect('/there.txt'), [there]: answer(coding, body) });
    expect(behind).toEqual({ kind: 'unreachable', cause });
  });

  test('and it rests, as one that answers with an error', async () => {
    const turn = await openTurn({ site: { [OWN]: answer('deflate', GZIP) } });
    await driven(turn, turn.parts.robots.fetch(ORIGIN));
    expect(turn.parts.pace.clock).toMatchObject({ failures: 1, cause: { code: 'robotsUndecoded' } });
  });
});

describe('a file of usage preferences', () => {
  const TDM = ORIGIN + TDMREP_PATH;
  const entries = Buffer.from(JSON.stringify([{ location: '/', 'tdm-reservation': 1 }]));
  const keptOf = async (coding: string, body: Buffer) => {
    const robots = [{ origin: ORIGIN, kind: 'allowAll' as const, expiresAt: T0 + 86_400_000 }];
    const turn = await openTurn({
      config: { purpose: 'research' },
      head: { robots },
      site: { [TDM]: answer(coding, body) },
    });
    await driven(turn, (turn.parts.usage as UsageKeeper).fetch(TDM));
    return turn.parts.knownRobots.of(usageFileKey(TDM));
  };

  test('is read as robots.txt is', async () => {
    for (const body of [zlib.gzipSync(entries), damaged(zlib.gzipSync(entries), -8)])
      expect(await keptOf('gzip', body)).toMatchObject({ kind: 'rules' });
  });

  test('that cannot be decoded to its end is asked for again after minutes', async () => {
    const kept = await keptOf('gzip', zlib.gzipSync(entries).subarray(0, 30));
    expect(kept).toMatchObject({ kind: 'allowAll' });
    expect(kept!.expiresAt).toBeLessThan(T0 + 3_600_000);
  });
});
