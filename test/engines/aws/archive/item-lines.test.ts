/** Objects of compressed lines. */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { linesOfBytes, linesOfObject } from '../../../../shared/engines/aws/archive/item-lines.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { createCloud } from './compact-cloud.ts';

const TEXT = 'one\n\ntwo é\nthree';
const LINES = ['one', 'two é', 'three'];

test('an object has the lines that are not empty, read whole and without their line feeds', async () => {
  const cloud = createCloud();
  const bytes = gzipSync(TEXT);
  cloud.put('items/c/file', bytes);
  const folder = { s3: cloud.clients().s3, bucket: 'b', clock: createFakeClock(), folder: 'items/c/' };
  expect(await linesOfObject(folder, 'file', bytes.length)).toEqual(LINES);
  expect(linesOfBytes(bytes)).toEqual(LINES);
  // Bytes within a larger buffer.
  expect(linesOfBytes(Buffer.concat([Buffer.from('xx'), bytes]).subarray(2))).toEqual(LINES);
  expect(linesOfBytes(gzipSync(''))).toEqual([]);
});

test('bytes that are none are refused', async () => {
  const cloud = createCloud();
  cloud.put('items/c/file', Buffer.from('text'));
  const folder = { s3: cloud.clients().s3, bucket: 'b', clock: createFakeClock(), folder: 'items/c/' };
  await expect(linesOfObject(folder, 'file', 4)).rejects.toThrow('incorrect header check');
  expect(() => linesOfBytes(Buffer.from('text'))).toThrow('incorrect header check');
});
