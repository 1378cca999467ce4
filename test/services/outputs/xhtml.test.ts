import { beforeAll, describe, expect, test } from 'vitest';
import { replay } from '../../../api/local/serve/replay.ts';
import { createPageContent, loadCheerio } from '../../../shared/services/hooks/page-content.ts';
import { documentOf } from '../../../shared/services/outputs/page-document.ts';
import { htmlOf, resolvedLinks } from '../../../shared/services/outputs/resolved-links.ts';
import { rewritePayload } from '../../../shared/services/outputs/rewrite-payload.ts';

const URL_OF_PAGE = 'https://a.test/dir/page';
const SENTENCE = 'A sentence that is long enough to be taken for a part of the main content of a page.';
const XHTML = `<?xml version="1.0" encoding="iso-8859-2"?>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a.js"/><title>t</title></head>
<body><p>${SENTENCE} \xb3</p><p><a href="b?\xb3"><![CDATA[a<b]]></a> ${SENTENCE}</p></body></html>`;

describe.each(['application/xhtml+xml', 'application/xml', 'text/xml'])('XHTML as %s', (type) => {
  const headers = [['Content-Type', type]] as const;
  const body = Buffer.from(XHTML, 'latin1');
  const payload = { status: 200, headers, body };
  beforeAll(loadCheerio);

  test('is read as XML by hooks', () => {
    const facts = { url: URL_OF_PAGE, charset: 'iso-8859-2', mimeType: 'application/xhtml+xml' };
    const content = createPageContent(body, { headers: [...headers] }, facts, 1_000_000);
    expect(content.text).toContain(`${SENTENCE} ł a<b`);
    expect(content.$('a').text()).toBe('a<b');
    expect(content.main.text).toContain('ł');
    expect(content.html).toBe(XHTML.replaceAll('\xb3', 'ł'));
  });

  test('is read as XML by documents, and by what lists links', async () => {
    const date = '2026-11-28T00:00:00Z';
    const page = { date, headers: headers.map(([name, value]) => [name, value] as [string, string]), body };
    const document = await documentOf(URL_OF_PAGE, page, 1_000_000);
    expect(document?.text).toContain(`${SENTENCE} ł`);
    expect(document?.markdown).toContain('https://a.test/dir/b?%B3');
    expect(resolvedLinks(htmlOf(payload), URL_OF_PAGE)).toMatchObject([
      { target: 'https://a.test/dir/a.js' },
      { target: 'https://a.test/dir/b?%B3', text: 'a<b' },
    ]);
  });

  test('is shown as the same page in HTML', () => {
    const place = { url: URL_OF_PAGE, shownAt: 'http://127.0.0.1/x/', isDocument: true };
    const shown = replay(payload, { ...place, rewrite: (url) => `/x/${url}` });
    expect(shown.type).toBe('text/html; charset=utf-8');
    const html = Buffer.from(shown.body).toString();
    expect(html).toContain('</script><title>');
    expect(html).toContain(`${SENTENCE} ł</p>`);
    expect(html).toContain('href="/x/https://a.test/dir/b?%B3"');
  });

  test('is a file of XML in a mirror', () => {
    const bytes = rewritePayload(payload, 'application/xhtml+xml', URL_OF_PAGE, () => 'c');
    const expected = XHTML.replace('src="a.js"', 'src="c"').replace('href="b?\xb3"', 'href="c"');
    expect(Buffer.from(bytes).toString('latin1')).toBe(expected);
  });
});

test.each([
  ['the head alone', 'koi8-r', undefined, '<?xml version="1.0" encoding="koi8-r"?><html/>'],
  ['nothing', undefined, undefined, '<html/>'],
  ['the head, against the declaration', 'utf-8', 'koi8-r', '<html/>'],
])('a mirror of XHTML says its charset where %s did', (_, charset, declared, file) => {
  const xml = `${declared ? `<?xml version="1.0" encoding="${declared}"?>` : ''}<html/>`;
  const type = `application/xhtml+xml${charset ? `; charset=${charset}` : ''}`;
  const payload = { headers: [['Content-Type', type]] as const, body: Buffer.from(xml) };
  const bytes = rewritePayload(payload, 'application/xhtml+xml', URL_OF_PAGE, (url) => url);
  expect(Buffer.from(bytes).toString()).toBe(file);
});
