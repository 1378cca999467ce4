import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { causeText } from '../../../../shared/core/causes/cause-text.ts';
import { createDocumentParser } from '../../../../shared/core/parser/document.ts';
import {
  challengeIn,
  mayBeChallenge,
  refusalIn,
  refusalInFile,
} from '../../../../shared/crawler/turn/refusal/response-signs.ts';
import { falseAlarmsAmong, ordinaryPages, responseOf } from './ordinary-pages.ts';

const IMPERVA = '<html><iframe src="/_Incapsula_Resource?CWUDNSAI=1"></iframe></html>';
const WORDS = 'word '.repeat(200);

test('twenty ordinary pages with scripts of verification codes and fields of protections are no refusals', async () => {
  expect(ordinaryPages()).toHaveLength(20);
  expect(await falseAlarmsAmong(ordinaryPages())).toEqual([]);
});

test('a challenge among them is found', async () => {
  const challenge = ['a challenge', responseOf(IMPERVA)] as const;
  expect(await falseAlarmsAmong([...ordinaryPages(), challenge])).toEqual(['a challenge']);
});

test.each<[what: string, body: string, status: number, vendor: string | undefined]>([
  ['an error page with hardly any text', IMPERVA, 503, 'Imperva'],
  ['an error page with much text', IMPERVA + WORDS, 503, undefined],
  ['a block page with the sign of its vendor', `<div id="px-captcha"></div>${WORDS}`, 403, 'HUMAN'],
  ['a missing page', IMPERVA, 404, undefined],
])('%s', async (_what, body, status, vendor) => {
  for (const response of [
    responseOf(body, status),
    responseOf(gzipSync(body), status, { 'content-encoding': 'gzip' }),
  ])
    expect(await refusalIn(response)).toEqual(vendor && { code: 'challenged', vendor, httpStatus: status });
});

test('the price of x402 stands in the body, too', async () => {
  const terms = { x402Version: 1, accepts: [{ maxAmountRequired: '5', asset: 'USDC' }] };
  const cause = await refusalIn(responseOf(JSON.stringify(terms), 402));
  expect(cause && causeText(cause)).toBe('priced (HTTP 402, 5 units of USDC, x402)');
});

test('a page with many links, or with much text, is not looked at', async () => {
  const factsOf = (body: string) => {
    const parser = createDocumentParser({
      ...{ url: 'https://a.test/', headers: [['content-type', 'text/html']] },
      ...{ maxDecodedBytes: 1e6, maxLinks: 100, wantsSigns: true },
    });
    parser.write(Buffer.from(body));
    return parser.end();
  };
  const links = Array.from({ length: 20 }, (_, i) => `<a href="/${i}"></a>`).join('');
  for (const body of [links + IMPERVA, WORDS + IMPERVA])
    expect(mayBeChallenge(await factsOf(body))).toBe(false);
  expect(mayBeChallenge(await factsOf(IMPERVA))).toBe(true);
  expect(await challengeIn(responseOf(IMPERVA))).toBeDefined();
});

test('a short page that is decoded at once keeps its content, so that its body is not decoded again', async () => {
  const contentOf = async (
    body: string,
    headers: [string, string][],
    write = (bytes: Uint8Array) => [bytes],
  ) => {
    const parser = createDocumentParser({
      ...{ url: 'https://a.test/', headers: [['content-type', 'text/html'], ...headers] },
      ...{ maxDecodedBytes: 1e6, maxLinks: 100, wantsContent: mayBeChallenge },
    });
    for (const piece of write(headers.length > 0 ? gzipSync(body) : Buffer.from(body))) parser.write(piece);
    const { content } = await parser.end();
    return content && Buffer.from(content).toString();
  };
  const links = Array.from({ length: 20 }, (_, i) => `<a href="/${i}"></a>`).join('');
  const byteByByte = (bytes: Uint8Array) => Array.from(bytes, (byte) => Uint8Array.of(byte));
  expect(await contentOf(IMPERVA, [['content-encoding', 'gzip']])).toBe(IMPERVA);
  expect(await contentOf(IMPERVA, [['content-encoding', 'gzip']], byteByByte)).toBe(IMPERVA);
  expect(await contentOf(links + IMPERVA, [['content-encoding', 'gzip']])).toBeUndefined();
  expect(await contentOf(IMPERVA, [])).toBeUndefined();
  const response = responseOf('', 200);
  expect(await challengeIn(response, Buffer.from(IMPERVA))).toMatchObject({ vendor: 'Imperva' });
});

test('a file is refused by a page instead of it, not by a plain status', async () => {
  const page = Buffer.from(`\n  ${IMPERVA}`);
  expect(await refusalInFile(responseOf(page), page)).toMatchObject({ vendor: 'Imperva' });
  const text = Buffer.from('User-agent: *\n# _Incapsula_Resource\n');
  expect(await refusalInFile(responseOf(text), text)).toBeUndefined();
  for (const status of [402, 403])
    expect(await refusalInFile(responseOf('', status), undefined)).toBeUndefined();
});
