/** What a document can cost. */
import { expect, test } from 'vitest';
import { createCharsetDecoder } from '../../shared/parser/charset-decoder.ts';
import { createDocumentParser } from '../../shared/parser/document.ts';

async function linksOf(html: string) {
  const parser = createDocumentParser({
    url: 'http://a.test/',
    headers: [['Content-Type', 'text/html']],
    maxDecodedBytes: 32_000_000,
    maxLinks: 6000,
    wantsRequisites: true,
  });
  parser.write(Buffer.from(html));
  return parser.end();
}

test('links that a long base makes long are dropped and counted, and never compared with each other', async () => {
  const refs = Array.from({ length: 6000 }, (_, i) => `<a href="${i}"></a>`).join('');
  const { links, droppedLinks } = await linksOf(
    `<base href="/${'x'.repeat(60_000)}/"><a href="/short"></a>${refs}`,
  );
  expect(links.map(({ url }) => url)).toEqual(['http://a.test/short']);
  expect(droppedLinks).toBe(6000);
});

test('long references that differ at their ends are dropped and counted', async () => {
  const refs = Array.from({ length: 500 }, (_, i) => `<img src="/${'x'.repeat(20_000)}${1000 + i}">`).join(
    '',
  );
  const { links, droppedLinks } = await linksOf(refs);
  expect(links).toEqual([]);
  expect(droppedLinks).toBe(500);
});

test.each(['gb18030', 'gbk', 'euc-jp', 'iso-2022-jp', 'big5', 'shift_jis', 'euc-kr'])(
  'malformed %s in pieces of one byte throws nothing',
  (charset) => {
    let seed = 1;
    const random = (n: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % n;
    };
    for (let i = 0; i < 2000; i++) {
      const bytes = Uint8Array.from({ length: 1 + random(30) }, () =>
        random(2) ? random(256) : 0x30 + random(10),
      );
      const whole = createCharsetDecoder(charset);
      const expected = whole.decode(bytes) + whole.end();
      const decoder = createCharsetDecoder(charset);
      const text = [...bytes].map((byte) => decoder.decode(Uint8Array.of(byte))).join('') + decoder.end();
      expect(text, Buffer.from(bytes).toString('hex')).toBe(expected);
    }
  },
);
