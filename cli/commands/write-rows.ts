import { once } from 'node:events';
import { urlDetail } from '../../shared/control/url-detail.ts';
import type { CrawlId, LedgerStore } from '../../shared/ports.ts';
import { openLedger } from '../../shared/worker/open-ledger.ts';
import { exportHeader, exportRow } from '../export-rows.ts';
import type { ExportFormat } from '../option-spec.ts';

/** What is needed of `process.stdout`. */
export type RowStream = Pick<NodeJS.WriteStream, 'write' | 'once'>;

/** What is needed of a ledger store. */
export type RowSource = Pick<LedgerStore, 'hosts' | 'loadHead' | 'readPart'>;

/** Rows are written together up to this many characters. */
const CHUNK = 64 * 1024;
const ATTEMPTS = 4;

/** Writes every known URL of the crawl, host by host. */
export async function writeRows(
  ledgers: RowSource,
  crawl: CrawlId,
  format: ExportFormat,
  out: RowStream,
): Promise<void> {
  let text = exportHeader(format);
  const flush = async () => {
    if (!out.write(text)) await once(out as NodeJS.WriteStream, 'drain');
    text = '';
  };
  for await (const { host, head } of ledgers.hosts(crawl)) {
    let current: typeof head | undefined = head;
    let rows = 0;
    for (let attempt = 1; current; attempt++) {
      try {
        const ledger = await openLedger(ledgers, crawl, host, current.ledger);
        for await (const record of ledger.records()) {
          rows++;
          text += exportRow(urlDetail(record), format);
          if (text.length > CHUNK) await flush();
        }
        break;
      } catch (cause) {
        // The crawl goes on meanwhile, and parts that its newer heads do not name are deleted.
        const newer = await ledgers.loadHead(crawl, host);
        const hasChanged = newer !== undefined && newer.version !== current.version;
        if (!hasChanged || attempt === ATTEMPTS) throw cause;
        if (rows > 0) {
          throw new Error(
            `${host} changed while it was read: export the crawl again, best when it is paused or over`,
            { cause },
          );
        }
        current = newer;
      }
    }
  }
  await flush();
}
