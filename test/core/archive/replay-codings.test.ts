import { describe, expect, test } from 'vitest';
import { encodeCapture, encodeRevisit } from '../../../shared/core/archive/capture.ts';
import { cdxjLine, scanCaptures } from '../../../shared/core/archive/cdxj.ts';
import { createWarcCheck, type WarcFault } from '../../../shared/core/archive/check-warc.ts';
import { unreadCoding, withCodingWarnings } from '../../../shared/core/archive/replay-codings.ts';
import { all } from '../../all.ts';
import { captureOf, joined, RECORDS } from './captures.ts';

test.each([
  ['', undefined],
  ['gzip', undefined],
  ['x-gzip', undefined],
  ['br', undefined],
  ['deflate', undefined],
  ['GZIP, br', undefined],
  ['identity', undefined],
  ['utf-8', undefined],
  ['zstd', 'zstd'],
  [' ZStd ', 'zstd'],
  ['gzip,zstd', 'zstd'],
  ['dcz', 'dcz'],
  ['compress', 'compress'],
])('the coding of `%s` that common readers cannot decode is %s', (field, coding) => {
  expect(unreadCoding(field)).toBe(coding);
});

/** A WARC file of responses in these content codings, and a revisit of the last one. */
async function fileOf(...codings: readonly string[]): Promise<Buffer> {
  const members: Uint8Array[] = [];
  for (const [i, coding] of codings.entries()) {
    const capture = captureOf({
      url: `http://a.test/?"encoding": "exi"&${i}`,
      body: Buffer.from(`body ${i}`),
      headers: coding === '' ? [] : [['content-encoding', coding]],
    });
    const { members: made, payload } = await encodeCapture(capture, RECORDS);
    for (const member of made) members.push(await joined(member));
    if (i < codings.length - 1) continue;
    for (const member of (await encodeRevisit(capture, payload, RECORDS)).members)
      members.push(await joined(member));
  }
  return Buffer.concat(members);
}

async function* linesOf(file: Buffer): AsyncGenerator<string> {
  const read = async (offset: number, length: number) => file.subarray(offset, offset + length);
  for await (const capture of scanCaptures(read)) yield cdxjLine(capture, 'a.warc.gz');
}

describe('of a file with responses in several codings', () => {
  const CODINGS = ['zstd', '', 'br', 'gzip, zstd', 'dcb', 'zstd'];

  test('the index names the odd ones, and an export warns once of each, behind the last line', async () => {
    const file = await fileOf(...CODINGS);
    const lines = await all(linesOf(file));
    const named = lines.map((line) => /, "digest": "[^"]*", "encoding": "([^"]*)", "length"/.exec(line)?.[1]);
    expect(named).toEqual(['zstd', undefined, undefined, 'zstd', 'dcb', 'zstd', undefined]);
    const warnings: unknown[] = [];
    const out = await all(withCodingWarnings(linesOf(file), (...warning) => void warnings.push(warning)));
    expect(out).toEqual(lines);
    const words = 'which pywb, warcio and ReplayWeb.page do not decode';
    expect(warnings).toEqual([
      [`3 responses are in the content coding zstd, ${words}`, 'coding'],
      [`1 response is in the content coding dcb, ${words}`, 'coding'],
    ]);
  });

  test('`warc check` warns once of each, at the first one', async () => {
    const file = await fileOf(...CODINGS);
    const faults: WarcFault[] = [];
    const check = createWarcCheck((fault) => void faults.push(fault));
    await check.file('a', async (offset, length) => file.subarray(offset, offset + length));
    check.end();
    expect(faults.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
      'warning: 3 responses are in the content coding zstd, which pywb, warcio and ReplayWeb.page do not decode',
      'warning: 1 response is in the content coding dcb, which pywb, warcio and ReplayWeb.page do not decode',
    ]);
    expect(faults[0]?.offset).toBe(0);
  });

  test('common ones alone: no word', async () => {
    const warnings: unknown[] = [];
    await all(
      withCodingWarnings(linesOf(await fileOf('br', 'gzip')), (warning) => void warnings.push(warning)),
    );
    expect(warnings).toEqual([]);
  });
});
