import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InvalidConfig, NoCrawl, type ProcessOptions, processCrawl, startCrawl } from '../../api/index.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { commandLine, rowOfPages, type SmallSite, startSite } from '../local-crawl/small-site.ts';

let site: SmallSite;
let folder: string;
let here: ReturnType<typeof commandLine>;

beforeAll(async () => {
  here = commandLine();
  folder = mkdtempSync(join(tmpdir(), 'strand-process-'));
  const pages = rowOfPages(8, (n) => (n === 6 ? '<meta name="robots" content="noindex">' : ''));
  // The same body under another URL is archived as a revisit.
  site = await startSite(
    { ...pages, '/7': `${pages['/7']}<a href="/8">`, '/8': pages['/5']! },
    { address: '127.78.0.45' },
  );
  // A hook over the archive blocks its thread.
  const crawl = { ...QUICK, blockTimeoutMs: 4000, seeds: [`${site.url}/`], out: join(folder, 'c') };
  await (await startCrawl(crawl)).done;
});
afterAll(async () => {
  await site.stop();
  here.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function processed(options: ProcessOptions) {
  const pages = [];
  for await (const page of processCrawl(join(folder, 'c'), options)) pages.push(page);
  return pages.toSorted((a, b) => (a.url < b.url ? -1 : 1));
}

const path = (url: string) => new URL(url).pathname;

test('hooks get the pages that a crawl gives them, with what it gives, and nothing is requested', async () => {
  const asked = site.log.length;
  const pages = await processed({
    onPage: ({ url, title, depth, via, $, links, response }) => ({
      url,
      title,
      depth,
      via: via && path(via),
      as: $('a').length,
      links: links.length,
      status: response.httpStatus,
    }),
  });
  expect(pages.map(({ url }) => path(url))).toEqual(['/', '/1', '/2', '/3', '/4', '/5', '/7', '/8']);
  expect(pages[3]?.items).toEqual([
    { url: `${site.url}/3`, title: '3', depth: 3, via: '/2', as: 1, links: 1, status: 200 },
  ]);
  // Its body is that of /5.
  expect(pages[7]?.items).toMatchObject([{ title: '5', depth: 8, via: '/7' }]);
  expect(site.log).toHaveLength(asked);
});

test('a hook that fails costs its page its items, and requests are counted', async () => {
  const pages = await processed({
    onPage({ url, enqueue }) {
      enqueue('/x', { label: 'a' });
      if (url.endsWith('/2')) throw new Error('no');
      return { url };
    },
  });
  expect(pages[2]).toMatchObject({ items: [], requests: 1, error: { source: 'onPage', message: 'no' } });
  expect(pages.filter(({ error }) => error)).toHaveLength(1);
});

test('the work ends when the reader leaves', async () => {
  let calls = 0;
  const onPage = () => void calls++;
  for await (const _ of processCrawl(join(folder, 'c'), { onPage })) break;
  expect(calls).toBe(1);
});

test.each<[string, object, RegExp]>([
  ['no hooks', {}, /Expected project, or hooks/],
  ['a wrong hook', { onPage: 1 }, /Expected onPage to be a function/],
  ['an unknown key', { onPage: () => {}, onPages: 1 }, /takes no onPages/],
  ['functions in threads', { onPage: () => {}, workers: 2 }, /Expected no workers together with onPage/],
])('%s is refused', async (_, options, message) => {
  await expect(processed(options as ProcessOptions)).rejects.toThrow(message);
  await expect(processed(options as ProcessOptions)).rejects.toThrow(InvalidConfig);
});

test('a folder without a crawl is refused', async () => {
  const none = processCrawl(join(folder, 'none'), { onPage: () => {} });
  await expect(none.next()).rejects.toThrow(NoCrawl);
});

test('strand process writes the items, by threads, past a page that blocks its thread', async () => {
  const project = join(folder, 'strand.config.mjs');
  writeFileSync(
    project,
    `export default { async onPage({ url }) {
       await 0;
       if (url.endsWith('/4')) for (;;);
       return { url };
     } };`,
  );
  const out = join(folder, 'items.jsonl');
  const { code, err } = await here.strand(
    'process',
    join(folder, 'c'),
    '--config',
    project,
    '--workers',
    '2',
    '--out',
    out,
  ).ended;
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(/8 pages, 7 items, 1 page at which a hook failed, in/),
  ]);
  expect(err).toMatch(/\/4: blocked its thread for \d+ s/);
  expect(readFileSync(out, 'utf8').trim().split('\n')).toHaveLength(7);
});

test.each([
  ['1', 'export default { onPage: SHOUT }'],
  ['3', 'export default { onPage: SHOUT }'],
  // Where the file is read a first time, too, so that its faults are reported before threads start.
  ['1', 'SAY("file"); export default { onPage: SHOUT }'],
  ['2', 'export default { onPage: (page) => { setTimeout(() => SHOUT(page)); return { ok: 1 }; } }'],
])(
  'what hooks print is not among the items of strand process, with %s workers: %s',
  async (workers, text) => {
    const say = `(what) => { console.log(what, '{"url":"forged"}\\\\u001b]0;x\\\\u0007'); process.stdout.write('\\\\u009bm'); console.error('\\\\u001b[31m'); }`;
    const code = text
      .replaceAll('SAY', 'say')
      .replaceAll('SHOUT', '((page) => { say(page.title); return { ok: 1 }; })');
    const project = join(folder, 'loud.config.mjs');
    writeFileSync(project, `const say = ${say};\n${code}`);
    const {
      code: exit,
      out,
      err,
    } = await here.strand(...['process', join(folder, 'c'), '--config', project, '--workers', workers]).ended;
    expect(exit).toBe(0);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(Array(8).fill({ ok: 1 }));
    expect(err).toContain('{"url":"forged"}');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  },
);
