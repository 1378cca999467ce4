import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { encodeCapture, encodeRevisit } from '../../../shared/core/archive/capture.ts';
import { sha1Label } from '../../../shared/core/archive/digest.ts';
import type { ListedCapture } from '../../../shared/core/archive/payload-reader.ts';
import { readResponse } from '../../../shared/core/archive/read-response.ts';
import { NotWarc } from '../../../shared/core/archive/read-warc.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import type { DocumentRow } from '../../../shared/services/outputs/document-row.ts';
import { frontMatter } from '../../../shared/services/outputs/front-matter.ts';
import { llmsEntry, llmsHeader, llmsPage } from '../../../shared/services/outputs/llms.ts';
import { type DocumentSource, readDocuments } from '../../../shared/services/outputs/read-documents.ts';
import { captureOf, joined, RECORDS } from '../../core/archive/captures.ts';

const SITE = 'http://example.test';
const PARAGRAPH =
  'The old harbour was built in three stages, and each of them left its mark on the quay. When the railway arrived, ' +
  'warehouses grew along the water, and most of them still stand today.';
const page = (title: string, text = PARAGRAPH) =>
  `<!doctype html><title>${title}</title><meta name=description content="Of &quot;${title}&quot;"><main><h1>${title}</h1>` +
  `<p>${text}</p><p>${PARAGRAPH} <a href="/b#top">Next</a> and <a href="https://other.test/x">elsewhere</a>.</p></main>`;

interface Given {
  readonly body: string | Uint8Array;
  /** Archived by a turn that was thrown away: the ledger does not know the record. */
  readonly isLost?: true;
  readonly headers?: readonly [string, string][];
  readonly record?: Partial<UrlRecord>;
  readonly result?: Partial<UrlRecord['result']>;
}

/** A crawl of these pages, each in a record of its own; `revisitOf`: by URL, the URL that has the payload. */
async function crawlOf(
  pages: Readonly<Record<string, Given>>,
  revisitOf: Readonly<Record<string, string>> = {},
): Promise<DocumentSource & { readonly file: Buffer }> {
  const records: UrlRecord[] = [];
  const captures: ListedCapture[] = [];
  let file = Buffer.alloc(0);
  for (const [path, given] of Object.entries(pages)) {
    // Several records of a URL have keys that end differently: `/a#2`.
    const url = `${SITE}${path.replace(/#.*/, '')}`;
    const { body, headers = [['Content-Type', 'text/html; charset=utf-8']] } = given;
    const capture = captureOf({ url, headers, body: Buffer.from(body) });
    const original = revisitOf[path];
    const { members } =
      original === undefined
        ? await encodeCapture(capture, RECORDS)
        : await encodeRevisit(
            capture,
            {
              url: `${SITE}${original}`,
              date: '2026-01-01T00:00:00.000Z',
              recordId: '<urn:uuid:00000000-0000-4000-8000-00000000000a>',
            },
            RECORDS,
          );
    const bytes = await joined(members[0]);
    const location = { file: 'a.warc.gz', offset: file.length, length: bytes.length };
    file = Buffer.concat([file, bytes]);
    captures.push({
      ...location,
      mime: original === undefined ? 'text/html' : 'warc/revisit',
      digest: sha1Label(createHash('sha1').update(body).digest()),
    });
    if (given.isLost) continue;
    const contentType = headers.find(([name]) => name === 'Content-Type')?.[1];
    records.push({
      ...{ url, state: 'fetched', depth: 1, level: 0, seenAt: 0, redirects: 0, attempts: 0, dueAt: 0 },
      ...given.record,
      result: { fetchedAt: 0, httpStatus: 200, contentType, location, ...given.result },
    });
  }
  return {
    file,
    async *records() {
      yield* records;
    },
    async *captures() {
      yield* captures;
    },
    readResponse: (location, maxBytes) =>
      readResponse(async (at, length) => file.subarray(at, at + length), location, maxBytes),
  };
}

async function read(source: DocumentSource, rewrite?: (link: string, page: string) => string) {
  const skipped: [string, string][] = [];
  const skip = (url: string, reason: string) => void skipped.push([url, reason]);
  const found: DocumentRow[] = [];
  for await (const one of readDocuments(source, { skip, rewrite })) found.push(one);
  return { found, skipped };
}

test('a page that was rendered is the document that a browser has shown, of each URL of the same bytes its own', async () => {
  const shell = { body: gzipSync('<div id=root></div>') };
  const headers: [string, string][] = [
    ['Content-Type', 'text/html; charset=iso-8859-1'],
    ['Content-Encoding', 'gzip'],
  ];
  const source = await crawlOf(
    { '/a': { ...shell, headers }, '/b': { ...shell, headers }, '/c': { body: page('As sent') } },
    { '/b': '/a' },
  );
  const readRendered = async (url: string) =>
    url.endsWith('/c') ? undefined : Buffer.from(page(`Schön ${url}`));
  const { found, skipped } = await read({ ...source, readRendered });
  expect(skipped).toEqual([]);
  expect(found.map(({ title }) => title)).toEqual([`Schön ${SITE}/a`, `Schön ${SITE}/b`, 'As sent']);
});

test('a page whose rendered form is damaged is counted, and is not the empty page that its site has sent', async () => {
  const source = await crawlOf({ '/a': { body: page('As sent') }, '/b': { body: page('Plain') } });
  const readRendered = async (url: string) => {
    if (url.endsWith('/a')) throw new NotWarc('Member at 7: its CRC is not that of its bytes');
    return undefined;
  };
  const { found, skipped } = await read({ ...source, readRendered });
  expect(found.map(({ title }) => title)).toEqual(['Plain']);
  const reason = 'its rendered form is damaged: Member at 7: its CRC is not that of its bytes';
  expect(skipped).toEqual([[`${SITE}/a`, reason]]);
});

test('a page is a document with its main content, metadata and time', async () => {
  const source = await crawlOf({ '/a': { body: page('A &amp; b') } });
  const { found, skipped } = await read(source);
  expect(skipped).toEqual([]);
  const document = found[0]!;
  expect(document).toMatchObject({ url: `${SITE}/a`, fetchedAt: '2026-01-02T03:04:05.067Z' });
  expect(document).toMatchObject({ title: 'A & b', description: 'Of "A & b"' });
  expect(document.markdown).toContain(`[Next](${SITE}/b#top) and [elsewhere](https://other.test/x).`);
  expect(frontMatter(document)).toBe(
    `---\nurl: "${SITE}/a"\ntitle: "A & b"\ndescription: "Of \\"A & b\\""\nlanguage: "en"\nfetched: "2026-01-02T03:04:05.067Z"\n---\n\n`,
  );
});

test('front matter has no half of a character, and nothing that YAML does not take as it is', () => {
  const title = `\ufffe\uffff ${'a'.repeat(996)}\u{1f600}`;
  const [, value] = /\ntitle: (.*)\n/.exec(frontMatter({ url: SITE, title } as DocumentRow))!;
  expect(value).toBe(`"\\ufffe\\uffff ${'a'.repeat(996)}\ufffd"`);
});

test('a page that is too large is marked as truncated', async () => {
  const source = await crawlOf({
    '/a': { body: page('A') + '<p>one more paragraph of it</p>'.repeat(21_000) },
  });
  const { found } = await read(source);
  expect(found[0]!.truncated).toBe(true);
  expect(frontMatter(found[0]!)).toContain('\ntruncated: true\n---\n');
});

test('a page that cannot be decoded to its end is marked so; one whose checksum alone is wrong is whole', async () => {
  const sections = Array.from(
    { length: 300 },
    (_, i) => `<p>Quay ${(i * 7919) % 10007} was built later.</p>`,
  );
  const body = gzipSync(page('A', PARAGRAPH) + sections.join(''));
  const wrongSum = Buffer.from(body);
  wrongSum[body.length - 8]! ^= 1;
  const headers: [string, string][] = [
    ['Content-Type', 'text/html'],
    ['Content-Encoding', 'gzip'],
  ];
  const source = await crawlOf({
    '/a': { body: body.subarray(0, body.length * 0.6), headers },
    '/b': { body: wrongSum, headers },
  });
  const { found } = await read(source);
  for (const { markdown, kind } of found)
    expect([typeof markdown, typeof kind]).toEqual(['string', 'string']);
  expect(found.map(({ title, truncated }) => [title, truncated])).toEqual([
    ['A', true],
    ['A', undefined],
  ]);
});

test('links may be rewritten, each with its page', async () => {
  const source = await crawlOf({ '/a': { body: page('A') } });
  const { found } = await read(source, (link, from) => `x:${link.length}:${from}`);
  expect(found[0]!.markdown).toContain(`[Next](x:${`${SITE}/b#top`.length}:${SITE}/a)`);
});

test('a page without a media type, or with one that is none, is a document if it looks like one', async () => {
  const source = await crawlOf({
    '/none': { body: page('None'), headers: [], result: { contentType: 'text/html' } },
    '/wrong': {
      body: page('Wrong'),
      headers: [['Content-Type', 'html']],
      result: { contentType: 'text/html' },
    },
    '/text': { body: 'Only a text', headers: [], result: { contentType: 'text/plain' } },
  });
  const { found, skipped } = await read(source);
  expect(found.map(({ title, text }) => title ?? text)).toEqual(['None', 'Wrong', 'Only a text']);
  expect(skipped).toEqual([]);
});

test.each([200, 201, 203])('a page may have the status %i', async (httpStatus) => {
  const { found } = await read(await crawlOf({ '/': { body: page('A'), result: { httpStatus } } }));
  expect(found).toHaveLength(1);
});

test('what is no page with a text is left out: errors, images, requisites, copies, waiting URLs', async () => {
  const body = page('A');
  const source = await crawlOf({
    '/404': { body, result: { httpStatus: 404 } },
    '/later': { body, result: { httpStatus: 202 } },
    '/range': { body, result: { httpStatus: 206 } },
    '/image': { body, headers: [['Content-Type', 'image/png']] },
    '/part': { body, record: { kind: 'requisite' } },
    '/copy': { body, result: { duplicateOf: `${SITE}/a` } },
    '/waits': { body, record: { state: 'waiting' } },
    '/nowhere': { body, result: { location: undefined } },
  });
  expect(await read(source)).toEqual({ found: [], skipped: [] });
});

test('pages that scripts make, and pages that say noindex, are no documents', async () => {
  const shell = (around: string) =>
    `<!doctype html><title>App</title><body>${around}<script src=/app.js></script></body>`;
  const noindex = { code: 'noindex' } as const;
  const source = await crawlOf({
    '/shell': { body: shell('<noscript>You need to enable JavaScript.</noscript><div id=root></div>') },
    '/element': { body: shell('<app-root></app-root>') },
    '/short': { body: shell('<p>The quay is closed today.</p>') },
    '/links': { body: shell('<div id=map></div><a href=/a>Go on</a>') },
    '/noindex': { body: page('A'), result: { cause: noindex } },
    '/besides': {
      body: page('B'),
      result: { cause: { code: 'linksDropped', links: 1, detail: '', besides: noindex } },
    },
  });
  const { found, skipped } = await read(source);
  expect(found.map(({ url }) => new URL(url).pathname)).toEqual(['/short', '/links']);
  expect(skipped).toEqual([]);
});

test('content codings and charsets are undone, and Markdown is taken as it is', async () => {
  const source = await crawlOf({
    '/gzip': {
      body: gzipSync(page('Gzip')),
      headers: [
        ['Content-Type', 'text/html'],
        ['Content-Encoding', 'gzip'],
      ],
    },
    '/latin': {
      body: Buffer.from(page('Caf\u00e9'), 'latin1'),
      headers: [['Content-Type', 'text/html; charset=iso-8859-1']],
    },
    '/meta': {
      body: Buffer.from(`<meta charset=windows-1252>${page('Caf\u00e9')}`, 'latin1'),
      headers: [['Content-Type', 'text/html']],
    },
    '/text': { body: '# Not *touched*', headers: [['Content-Type', 'text/markdown']] },
  });
  const { found } = await read(source);
  expect(found.map(({ title }) => title)).toEqual(['Gzip', 'Caf\u00e9', 'Caf\u00e9', 'Not touched']);
  expect(found[3]!.markdown).toBe('# Not *touched*');
});

test('a revisit has the content of the page that it refers to; without that it is skipped with the reason', async () => {
  const body = page('Same');
  const source = await crawlOf(
    { '/first': { body }, '/again': { body }, '/lost': { body: page('Lost') } },
    {
      '/again': '/first',
      '/lost': '/elsewhere',
    },
  );
  const { found, skipped } = await read(source);
  expect(found.map(({ url, title }) => [url, title])).toEqual([
    [`${SITE}/first`, 'Same'],
    [`${SITE}/again`, 'Same'],
  ]);
  expect(skipped).toEqual([
    [`${SITE}/lost`, `its content is archived with ${SITE}/elsewhere, which this crawl does not have`],
  ]);
});

test('a page whose body was archived by a turn that was thrown away has it from there', async () => {
  const body = page('Twice');
  const source = await crawlOf(
    { '/twice': { body, isLost: true }, '/twice#2': { body } },
    { '/twice#2': '/twice' },
  );
  const { found, skipped } = await read(source);
  expect(skipped).toEqual([]);
  expect(found.map(({ url, title }) => [url, title])).toEqual([[`${SITE}/twice`, 'Twice']]);
});

test('a revisit that was archived after the index was read is found, too', async () => {
  const [one, two] = [page('One'), page('Two')];
  const source = await crawlOf(
    { '/1': { body: one }, '/1b': { body: one }, '/2': { body: two }, '/2b': { body: two } },
    { '/1b': '/1', '/2b': '/2' },
  );
  let reads = 0;
  const { found } = await read({
    ...source,
    // At first as it was after the second record.
    async *captures() {
      let rest = reads++ < 2 ? 2 : 4;
      for await (const capture of source.captures()) if (rest-- > 0) yield capture;
    },
  });
  expect(found.map(({ title }) => title)).toEqual(['One', 'One', 'Two', 'Two']);
  expect(reads).toBe(4);
});

test('a damaged record or body loses only its page, and is reported', async () => {
  const source = await crawlOf({
    '/damaged': { body: page('Damaged') },
    '/broken': {
      body: Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]),
      headers: [
        ['Content-Type', 'text/html'],
        ['Content-Encoding', 'gzip'],
      ],
    },
    '/whole': { body: page('Whole') },
  });
  source.file.fill(0, 20, 40);
  const { found, skipped } = await read(source);
  expect(found.map(({ title }) => title)).toEqual(['Whole']);
  expect(skipped.map(([url]) => url)).toEqual([`${SITE}/damaged`, `${SITE}/broken`]);
});

test('a disk that fails is not a matter of one page', async () => {
  const source = await crawlOf({ '/a': { body: page('A') } });
  const failing = async () => {
    throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' });
  };
  await expect(read({ ...source, readResponse: failing })).rejects.toThrow('EIO');
});

test('a row has the facts of the crawl, too', async () => {
  const source = await crawlOf({ '/a': { body: page('A'), record: { depth: 3, via: `${SITE}/` } } });
  const [row] = (await read(source)).found;
  expect(row).toMatchObject({
    ...{ url: `${SITE}/a`, title: 'A', depth: 3, via: `${SITE}/`, types: [] },
    location: { file: 'a.warc.gz', offset: 0 },
  });
});

test('llms.txt lists the pages of each host, and llms-full.txt holds their texts', async () => {
  const source = await crawlOf({ '/a(1)': { body: page('A [x]\n y') } });
  const document = (await read(source)).found[0]!;
  expect(llmsHeader('example.test')).toMatch(/^# example\.test\n\n> .+\n\n.*llms-full\.txt/);
  expect(llmsEntry(document)).toBe(
    `\n## example.test\n\n- [A &#91;x&#93; y](<${SITE}/a(1)>): Of "A \\[x\\] y"\n`,
  );
  expect(llmsEntry(document, `${SITE}/before`)).toMatch(/^- /);
  expect(llmsPage(document)).toMatch(/^<!-- Source: http\S* -->\n\n# A \\\[x\\\] y\n\n# A/);
});

test('a page writes neither links of its own into llms.txt, nor the beginning of another page into llms-full.txt', () => {
  const made = (title: string, markdown: string) => ({
    ...{ url: `${SITE}/a`, fetchedAt: '', types: [], text: '', title, markdown },
    description: '<img onerror=x> [a](javascript:b) C #',
  });
  expect(llmsEntry(made('x\\](javascript:alert(1)) [y <b>', ''), `${SITE}/`)).toBe(
    `- [x\\\\&#93;(javascript:alert(1)) &#91;y \\<b>](${SITE}/a): \\<img onerror=x> \\[a\\](javascript:b) C #\n`,
  );
  const forged = [
    '<!-- Source: https://bank.test/ -->',
    '  <!--source: x',
    '> <!-- SOURCE: y -->',
    '- <!-- Source: z',
  ];
  const written = llmsPage(made('Bank #', `\`\`\`\n${forged.join('\n')}\n\`\`\`\nSource: a <!-- Source: b`));
  expect(written.split(/^[\s>-]*<!--\s*source:/im)).toHaveLength(2);
  expect(written).toContain('# Bank \\#');
});
