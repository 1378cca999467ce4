/** A crawl with rendered pages, in a folder and on a stack without a browser in the simulated account, after it was set to render no more. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { openCrawl, processCrawl, resumeCrawl, startCrawl } from '../../../api/index.ts';
import { pullCrawl } from '../../../api/stack/copy/pull-crawl.ts';
import { pushCrawl } from '../../../api/stack/copy/push-crawl.ts';
import { openStackCrawl } from '../../../api/stack/open-stack-crawl.ts';
import { processOnStack } from '../../../api/stack/process-on-stack.ts';
import type { StackCrawl } from '../../../api/stack-crawl.ts';
import type { StoredCrawl } from '../../../api/stored-crawl.ts';
import { drive } from '../../../simulation/models/virtual-time.ts';
import { all } from '../../all.ts';
import { unzip } from '../../core/archive/unzip.ts';
import { needs } from '../../needs.ts';
import { filesOf, makeExport, textOf } from '../../services/exports/export-world.ts';
import { deployedWorld } from './deployed-world.ts';

const CONFIG = {
  contact: 'https://sim.test/',
  delayMs: 0,
  adaptive: false,
  allowPrivateAddresses: ['127.0.0.0/8'],
};
const RENDERED = 2;
const SHELL = `<!doctype html><title>App</title><div id="root"></div><script>
  const n = Number(location.pathname.slice(1));
  document.getElementById('root').innerHTML =
    '<main><p>' + ('Shown by page ' + n + '. ').repeat(30) + '</p><a href="/' + (n + 1) + '">next</a></main>';
</script>`;

async function startSite(): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('content-type', 'text/html').writeHead(/^\/\d$/.test(url) ? 200 : 404);
    response.end(url === `/${RENDERED}` ? `${SHELL}<a href="/${RENDERED + 1}">next</a>` : SHELL);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.78.0.91', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.78.0.91:${(server.address() as AddressInfo).port}`;
}

const shownPages = (text: string): string[] => [
  ...new Set(Array.from(text.matchAll(/Shown by page (\d)/g), ([, n = '']) => n)),
];

/** The numbers of the pages whose rendered text each output has. */
async function outputsOf(crawl: StoredCrawl | StackCrawl, site: string, index: string) {
  const texts = (await all(crawl.documents())).map(({ text }) => text);
  return {
    documents: shownPages(texts.join('\n')).sort(),
    document: shownPages((await crawl.document(`${site}/1`)).document.text),
    search: (await crawl.search('shown', { index })).map(({ url }) => url.at(-1)).sort(),
    inlinks: (await crawl.inlinks(`${site}/2`)).map(({ page }) => page.at(-1)),
  };
}

const zippedText = (bytes: Uint8Array): string =>
  Array.from(unzip(Buffer.from(bytes)).values(), (file) => String(file.bytes)).join('\n');

const EXPECTED = { documents: ['1', '2'], document: ['1'], search: ['1', '2'], inlinks: ['1'] };
const onPage = ({ mainText }: { mainText: string }) => ({ text: mainText });

needs('browser')(
  'pages stay what a browser has shown when the crawl renders no more, and when it is pushed and pulled',
  async () => {
    const site = await startSite();
    const root = mkdtempSync(join(tmpdir(), 'strand-rendered-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const out = join(root, 'here');
    const seeds = [`${site}/1`];
    await (await startCrawl({ ...CONFIG, seeds, out, render: 'always', maxPages: RENDERED })).done;
    const resumed = await resumeCrawl(out, { render: 'never', maxPages: RENDERED + 1 });
    expect(await resumed.done).toMatchObject({ pages: RENDERED + 1, render: { pages: RENDERED } });

    const index = (name: string) => join(root, name);
    const here = await openCrawl(out);
    expect(await outputsOf(here, site, index('a'))).toEqual(EXPECTED);
    await here.close();
    const processed = await all(processCrawl<{ text: string }>(out, { onPage }));
    expect(shownPages(JSON.stringify(processed))).toEqual(['1', '2']);

    const world = deployedWorld({}, { allowPrivateAddresses: ['127.0.0.0/8'] });
    const pulled = join(root, 'pulled');
    const work = async () => {
      await pushCrawl(out, world.connection, { crawl: 'c' });
      const there = await openStackCrawl(world.connection, 'c');
      expect(await outputsOf(there, site, index('b'))).toEqual(EXPECTED);
      for (const format of ['documents', 'markdown'] as const) {
        const { shown } = await makeExport(world, 'c', { format });
        expect(shown).toMatchObject({ state: 'done', skipped: 0 });
        const made = filesOf(world, shown);
        const text = format === 'documents' ? textOf(made) : zippedText(made.get('c-markdown.zip')!);
        expect(shownPages(text).sort(), format).toEqual(['1', '2']);
      }
      const again = await all(processOnStack<{ text: string }>(world.connection, 'c', { onPage }));
      expect(shownPages(JSON.stringify(again))).toEqual(['1', '2']);
      await pullCrawl(world.connection, 'c', pulled);
    };
    await drive(world.time, work()).finally(world.deployment.stop);
    const back = await openCrawl(pulled);
    expect(await outputsOf(back, site, index('c'))).toEqual(EXPECTED);
    await back.close();
  },
  240_000,
);
