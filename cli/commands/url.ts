import { urlDetail } from '../../shared/control/url-detail.ts';
import { NEW_HEAD } from '../../shared/frontier/head.ts';
import { canonicalize } from '../../shared/url/canonical.ts';
import { hostKey } from '../../shared/url/host-key.ts';
import { openLedger } from '../../shared/worker/open-ledger.ts';
import type { LocalCommandOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { urlText } from '../export-rows.ts';
import { openCrawl } from './summarize.ts';

/** `strand url DIR URL`: all that the crawl knows of a URL. */
export async function url(command: LocalCommandOf<'url'>): Promise<number> {
  const { reader, crawl } = openCrawl(command.dir);
  try {
    const asked = canonicalize(command.url) ?? command.url;
    const host = hostKey(asked);
    const head = (await reader.ledgers.loadHead(crawl, host)) ?? NEW_HEAD;
    const ledger = await openLedger(reader.ledgers, crawl, host, head.ledger);
    const record = await ledger.lookUp(asked);
    if (!record) {
      process.stderr.write(`strand: the crawl in ${command.dir} does not know ${asked}\n`);
      return exitCodes.usage;
    }
    const detail = urlDetail(record);
    process.stdout.write(`${command.json ? JSON.stringify(detail) : urlText(detail)}\n`);
    return exitCodes.finished;
  } finally {
    reader.close();
  }
}
