import { once } from 'node:events';
import { urlDetail } from '../../shared/control/url-detail.ts';
import { openLedger } from '../../shared/worker/open-ledger.ts';
import type { Command } from '../args.ts';
import { exitCodes } from '../exit-codes.ts';
import { exportHeader, exportRow } from '../export-rows.ts';
import { openCrawl } from './summarize.ts';

/** Rows are written together up to this many characters. */
const CHUNK = 64 * 1024;

/** `strand export DIR --format jsonl|csv`: every known URL on standard output. */
export async function exportUrls({ dir, format }: Extract<Command, { verb: 'export' }>): Promise<number> {
  const { reader, crawl } = openCrawl(dir);
  let text = exportHeader(format);
  const flush = async () => {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    text = '';
  };
  try {
    for await (const { host, head } of reader.ledgers.hosts(crawl)) {
      const ledger = await openLedger(reader.ledgers, crawl, host, head.ledger);
      for await (const record of ledger.records()) {
        text += exportRow(urlDetail(record), format);
        if (text.length > CHUNK) await flush();
      }
    }
    await flush();
    return exitCodes.finished;
  } finally {
    reader.close();
  }
}
