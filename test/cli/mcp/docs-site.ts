/** A site of documentation that was crawled each day for ten days, on a stack in the simulated account. */
import { openStackCrawl } from '../../../api/stack/open-stack-crawl.ts';
import { beginStackCrawl } from '../../../api/stack/start-stack-crawl.ts';
import { type DeployedWorld, deployedWorld } from '../../api/stack/deployed-world.ts';

export const SITE = 'http://docs.harbour.test';
const DAY_MS = 86_400_000;
const DAYS = 10;
/** The visit by which the installation guide is another one. */
const CHANGED_AT = 6;

const paragraph = (text: string): string => `<p>${text}</p>`;
const GUIDE = 'Harbour keeps the berths of a port in one database, and shows which ships may come in today. ';

const installation = (before: number): string => {
  const [node, step] =
    before < CHANGED_AT
      ? ['20', 'Run npm install harbour, and wait until the database is there.']
      : ['22', 'Run npm install harbour, then harbour init, which makes the database.'];
  return `<title>Installation</title><main><h1>Installation</h1>${paragraph(GUIDE)}${paragraph(`You need Node.js ${node} or later, and 200 MB of disk for the database of a usual port.`)}${paragraph(step)}${paragraph('Open port 8080 in your browser, and log in with the password that was printed.')}</main>`;
};

const TEXTS: Readonly<Record<string, (before: number) => string>> = {
  '/': () => `<title>Harbour</title><main><h1>Harbour</h1>${paragraph(GUIDE.repeat(2))}</main>`,
  '/installation': installation,
  '/berths': () =>
    `<title>Berths</title><main><h1>Berths</h1>${paragraph('A berth has a length, a depth and a crane. A ship that is too long for it is refused, with the reason.')}${paragraph(GUIDE)}</main>`,
};

const LINKS: Readonly<Record<string, readonly string[]>> = {
  [`${SITE}/`]: ['/installation', '/berths'],
  [`${SITE}/installation`]: ['/'],
  [`${SITE}/berths`]: ['/'],
};

export const CRAWL = 'docs.harbour.test';

export const docsWorld = (): DeployedWorld =>
  deployedWorld(LINKS, { textOf: (url, before) => TEXTS[new URL(url).pathname]?.(before) ?? '' });

/** Crawls for ten days, and stops. To be driven by the world's time. Returns the time of the end. */
export async function crawlDocs({ connection, time }: DeployedWorld): Promise<number> {
  await beginStackCrawl(connection, {
    crawl: CRAWL,
    seeds: [`${SITE}/`],
    options: { contact: 'https://sim.test/', delayMs: 1000, adaptive: false, recrawlEveryMs: DAY_MS },
  });
  await time.sleep(DAYS * DAY_MS);
  const end = time.now();
  await connection.control.stop(CRAWL);
  const crawl = await openStackCrawl(connection, CRAWL);
  await crawl.done;
  return end;
}
