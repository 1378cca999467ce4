/** A mirror of the crawl, which browsers read without a server, as one ZIP file. */
import { PayloadReader } from '../../core/archive/payload-reader.ts';
import { isWithheld } from '../../core/causes/cause.ts';
import { causeText } from '../../core/causes/cause-text.ts';
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import { isHtmlType } from '../outputs/rewrite-payload.ts';
import { type ArchivedPayload, usedPayloads } from './archived-payloads.ts';
import type { ExportContext, ExportFacts, StageSlice } from './export-context.ts';
import type { FolderFile } from './export-parts.ts';
import { listedRows, listRows } from './list-stage.ts';
import { madeBehind } from './made-behind.ts';
import { isMirrored, type MirrorRow, mirrorRow, mirrorSite } from './mirror-site.ts';
import type { LedgerPlace } from './walk-ledgers.ts';
import { type FolderAt, writeFolder } from './zip-folder.ts';

/** Lists the files and the redirects: links between files need the names of all. */
export const listMirror = (context: ExportContext, at: never, facts: ExportFacts): Promise<StageSlice> =>
  listRows<MirrorRow>(context, at, facts, mirrorRow);

export async function writeMirrorFolder(
  context: ExportContext,
  at: FolderAt<LedgerPlace>,
  facts: ExportFacts,
): Promise<StageSlice> {
  const { crawl, record, payloads } = context;
  const site = mirrorSite(await listedRows<MirrorRow>(context, facts), record.config);
  let { mirrorPages = 0 } = facts;
  function fileOf(found: UrlRecord, payload: ArchivedPayload): FolderFile {
    const cause = found.result?.cause;
    if (cause && isWithheld(cause)) throw new Error(causeText(cause));
    if (found.kind === undefined && isHtmlType(found.result?.contentType)) mirrorPages++;
    return { path: site.pathOf(found.url) as string, body: site.bytesOf(found, payload) };
  }
  const slice = await writeFolder(context, at, `${crawl}-mirror.zip`, (after) =>
    madeBehind(context, after, {
      what: 'file',
      // Also pages to skip. A page that came to the crawl since has no name.
      isWanted: (found) =>
        isMirrored(found) && (isWithheld(found.result?.cause) || site.pathOf(found.url) !== undefined),
      make: (records, skip) => usedPayloads(new PayloadReader(payloads), records, fileOf, skip),
    }),
  );
  return { ...slice, facts: { ...facts, mirrorPages } };
}
