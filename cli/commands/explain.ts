import type { CrawlId } from '../../shared/crawl/crawl-id.ts';
import type { LocalReader } from '../../shared/engines/local/engine.ts';
import type { Head } from '../../shared/frontier/head.ts';
import type { HostLedger } from '../../shared/frontier/ledger.ts';
import { rankOf } from '../../shared/frontier/rank.ts';
import { countUrls, type UrlRecord } from '../../shared/frontier/url-record.ts';
import { readProject } from '../../shared/project/project-file.ts';
import { type ExplainFacts, explainUrl, nameIn } from '../../shared/report/explain.ts';
import type { HostLine } from '../../shared/report/explanation.ts';
import { lookUpUrl } from '../../shared/report/look-up-url.ts';
import type { RobotsRules } from '../../shared/robots/robots-rules.ts';
import { decodeRules } from '../../shared/robots/rules-text.ts';
import { type HostKey, origin } from '../../shared/url/host-key.ts';
import type { LocalCommandOf } from '../command.ts';
import { parseCrawlConfig } from '../crawl-config.ts';
import { exitCodes } from '../exit-codes.ts';
import { explanationText } from '../explain-text.ts';
import { openCrawl, stateOf } from './open-crawl.ts';

/** Of a larger host the URL's place in the line is not counted: that reads all its records, a second per million. */
const MAX_COUNTED = 500_000;

/** `strand explain [DIR] URL`: what would happen to a URL, and why. */
export async function explain(command: LocalCommandOf<'explain'>): Promise<number> {
  const { dir, json } = command;
  const facts = dir === undefined ? await factsWithoutCrawl(command) : await factsOfCrawl(dir, command.url);
  const explained = explainUrl(facts);
  process.stdout.write(`${json ? JSON.stringify(explained) : explanationText(explained)}\n`);
  return exitCodes.finished;
}

async function factsWithoutCrawl({ config, options, url }: LocalCommandOf<'explain'>): Promise<ExplainFacts> {
  const project = await readProject(config);
  return { url, config: parseCrawlConfig({ ...project.crawl, ...options }), now: Date.now() };
}

/** What the crawl in the folder knows, whether it runs or not. */
async function factsOfCrawl(dir: string, url: string): Promise<ExplainFacts> {
  const opened = await openCrawl(dir);
  const { reader, crawl, record: kept } = opened;
  try {
    const config = parseCrawlConfig(kept.config);
    const name = nameIn(config, url);
    const { host, head, ledger, record } = await lookUpUrl(reader.ledgers, crawl, name);
    const now = Date.now();
    return {
      url,
      config,
      crawl: { id: crawl, state: stateOf(opened), scopeSeeds: kept.scopeSeeds },
      head,
      robots: head && (await robotsOf(reader, crawl, host, head, origin(name))),
      record,
      isKnown: (other) => ledger.has(other),
      line:
        record?.state === 'waiting' && record.dueAt <= now ? await lineOf(ledger, record, now) : undefined,
      now,
    };
  } finally {
    reader.close();
  }
}

async function robotsOf(
  { ledgers }: Pick<LocalReader, 'ledgers'>,
  crawl: CrawlId,
  host: HostKey,
  { robots }: Head,
  from: string,
): Promise<RobotsRules | undefined> {
  const kept = robots.find((one) => one.origin === from);
  if (!kept || kept.kind === 'allowAll') return undefined;
  const text = kept.part
    ? Buffer.from(await ledgers.readPart(crawl, host, kept.part)).toString('utf8')
    : (kept.rules ?? '');
  return decodeRules(text);
}

async function lineOf(ledger: HostLedger, own: UrlRecord, now: number): Promise<HostLine | undefined> {
  if (countUrls(ledger.counts) > MAX_COUNTED) return undefined;
  const ownRank = rankOf(own.depth, own.level, own.kind);
  let before = 0;
  let alike = 0;
  for await (const { url, state, dueAt, depth, level, kind } of ledger.records()) {
    if (state !== 'waiting' || dueAt > now || url === own.url) continue;
    const rank = rankOf(depth, level, kind);
    if (rank < ownRank) before++;
    else if (rank === ownRank) alike++;
  }
  return { before, alike };
}
