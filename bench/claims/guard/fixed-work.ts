/** Work that does not change: other work is compared with it in one process, whatever the machine. */
import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';

const TEXT = Array.from(
  { length: 4000 },
  (_, i) => `<p id="p${i}">The ${i * 7919}th word of ${i % 13} lines`,
).join('\n');
const ROUNDS = 200;

/** Unzips, hashes and scans a fixed text, some 150 KB at a time. */
export function fixedWork(): void {
  const packed = gzipSync(TEXT, { level: 6 });
  let found = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const text = gunzipSync(packed).toString('latin1');
    createHash('sha1').update(text).digest();
    for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1))
      found += text.charCodeAt(at + 1);
  }
  if (found === 0) throw new Error('Expected tags in the text');
}
