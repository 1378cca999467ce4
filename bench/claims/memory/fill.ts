/**
 * Makes a crawl's folder in which HOSTS hosts have KNOWN known URLs each, which wait: `node fill.ts FOLDER HOSTS KNOWN`.
 */
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { HostLedger } from '../../../shared/core/frontier/ledger.ts';
import { EMPTY_INDEX } from '../../../shared/core/frontier/ledger-index.ts';
import { beginCrawl } from '../../../shared/engines/local/session/session.ts';
import { planCrawl } from '../../../shared/services/begin/plan-crawl.ts';
import { CRAWL } from '../../harness/crawl-config.ts';
import { hostOf, pathOf } from './known-web.ts';

const [folder, hosts, known] = process.argv.slice(2) as [string, string, string];
const seed = `http://${hostOf(0)}/`;
const session = await beginCrawl(folder, planCrawl({ seeds: [seed], options: { ...CRAWL, scope: 'any' } }), {
  software: 'bench',
});
const { ledgers } = session.engine;
const now = Date.now();
const paths = Array.from({ length: Number(known) }, (_, n) => pathOf(n));

for (let n = 0; n < Number(hosts); n++) {
  const host = hostOf(n);
  const ledger = await HostLedger.open(host, EMPTY_INDEX, () => {
    throw new Error('There are no parts yet');
  });
  for (const [i, path] of paths.entries())
    ledger.merge(
      { url: `http://${host}${path}`, depth: i === 0 ? 0 : 1, via: i === 0 ? undefined : seed },
      now,
    );
  const { parts, index } = await ledger.prepareCommit(`1-${n}`);
  for (const { name, bytes } of parts) await ledgers.putPart(session.id, host, name, bytes);
  await ledgers.commit(session.id, host, { ...NEW_HEAD, version: 1, ledger: index });
}
await session.close();
