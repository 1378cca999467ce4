/** Content codings: bombs, wrong ones, several in a row. */
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { asked, type Check, kept, settled } from '../checks.ts';
import type { HostileCase } from '../hostile-case.ts';
import { MB, pageWith, repeated, replyCase, response, type Text } from '../replies.ts';

const coded = (
  name: string,
  coding: string,
  body: () => Text,
  checks: readonly Check[],
  isQuick = false,
): HostileCase =>
  replyCase(
    `coding: ${name}`,
    checks,
    () => response({ headers: [['Content-Encoding', coding]], body: body() }),
    {
      isQuick,
    },
  );

const PAGE = pageWith('<p>text</p>');
const EMPTY = gzipSync('');
const READ = [kept(), asked('/first'), asked('/last')];
/** Beyond what the crawl decodes of a page; the link before it is read. */
const bomb = (): Buffer => pageWith(repeated('<p>', 200 * MB));
const times = (count: number, bytes: Buffer): Buffer =>
  Array.from({ length: count }).reduce<Buffer>((inner) => gzipSync(inner), bytes);

const BOMB = [kept(), asked('/first')];
export const CODING_CASES: readonly HostileCase[] = [
  coded('gzip', 'gzip', () => gzipSync(PAGE), READ, true),
  coded('brotli', 'br', () => brotliCompressSync(PAGE), READ, true),
  coded('deflate', 'deflate', () => deflateSync(PAGE), READ, true),
  coded('deflate without its head', 'deflate', () => deflateRawSync(PAGE), READ, true),
  coded('zstd', 'zstd', () => zstdCompressSync(PAGE), [settled()], true),
  coded('x-gzip in odd case', 'X-GZip', () => gzipSync(PAGE), READ, true),
  coded('gzip, gzip', 'gzip, gzip', () => times(2, PAGE), [kept()], true),
  coded('ten times gzip', repeated('gzip, ', 60).slice(0, -2), () => times(10, PAGE), [kept()], true),
  coded('a header of 1,000 codings', repeated('gzip,', 5000).slice(0, -1), () => PAGE, [kept()], true),
  coded('unknown', 'snake-oil', () => PAGE, [kept()], true),
  coded('identity', 'identity', () => PAGE, READ, true),
  coded('gzip said, plain sent', 'gzip', () => PAGE, [kept()], true),
  coded('gzip, cut', 'gzip', () => gzipSync(PAGE).subarray(0, -12), [kept()], true),
  coded(
    'gzip with a wrong sum',
    'gzip',
    () => Buffer.concat([gzipSync(PAGE).subarray(0, -8), Buffer.alloc(8, 1)]),
    [kept()],
    true,
  ),
  coded(
    'gzip and rubbish behind',
    'gzip',
    () => Buffer.concat([gzipSync(PAGE), Buffer.alloc(1000, 7)]),
    READ,
    true,
  ),
  coded(
    '20,000 empty gzip members',
    'gzip',
    () => Buffer.concat([...Array.from({ length: 20_000 }, () => EMPTY), gzipSync(PAGE)]),
    [kept()],
  ),
  coded('gzip with a name of 4 MB', 'gzip', () => gzipWithName(4 * MB), [kept()]),
  coded('a bomb of 200 MB in gzip', 'gzip', () => gzipSync(bomb()), BOMB),
  coded(
    'a bomb of 200 MB in brotli',
    'br',
    () => brotliCompressSync(bomb(), { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
    BOMB,
  ),
  coded('a bomb of 200 MB in deflate', 'deflate', () => deflateSync(bomb()), BOMB),
  coded('a bomb of 200 MB in zstd', 'zstd', () => zstdCompressSync(bomb()), [settled()]),
  coded('a bomb in a bomb', 'gzip, gzip', () => times(2, bomb()), [kept()]),
  replyCase('coding: a bomb that says it is an image', [kept()], () =>
    response({ type: 'image/png', headers: [['Content-Encoding', 'gzip']], body: gzipSync(bomb()) }),
  ),
];

/** RFC 1952, section 2.3: flag 8, FNAME. */
function gzipWithName(bytes: number): Buffer {
  const member = gzipSync(PAGE);
  const head = Buffer.from(member.subarray(0, 10));
  head[3] = 8;
  return Buffer.concat([head, Buffer.alloc(bytes, 'n'), Buffer.alloc(1), member.subarray(10)]);
}
