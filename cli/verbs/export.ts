import type { OpenedCrawl } from '../../api/crawl-place.ts';
import type { SitePageRequest } from '../../shared/services/control/control.ts';
import { CLOUD_TABLES, hasDocuments } from '../../shared/services/control/crawl-export.ts';
import type { RowFormat } from '../../shared/services/report/url-line.ts';
import { commandAt } from '../command-at.ts';
import { exitCodes } from '../exit-codes.ts';
import { EXPORT_FORMATS, isRowFormat } from '../export/export-formats.ts';
import { type ExportAsked, type ListAsked, type RowKinds, readExport } from '../export/read-export.ts';
import { formatCounted } from '../format.ts';
import { CONFIG_OPTION, JSON_OPTION, type OptionSpec } from '../option-spec.ts';
import type { Place } from '../place.ts';
import { verb } from '../verb.ts';

const OPTIONS: readonly OptionSpec[] = [
  CONFIG_OPTION,
  {
    name: 'format',
    argument: 'FORMAT',
    type: 'choice',
    choices: EXPORT_FORMATS,
    group: 'Output',
    preset: 'jsonl',
    help: `${EXPORT_FORMATS.join(', ')}; by default, the ending of the file that --out names decides`,
  },
  {
    name: 'skipped',
    type: 'flag',
    group: 'Output',
    help: 'write the links that were left out, with the reason, instead of the known URLs',
  },
  {
    name: 'items',
    type: 'flag',
    group: 'Output',
    help: "write the items that the project's hooks returned, instead of the known URLs",
  },
  {
    name: 'out',
    argument: 'PATH',
    type: 'text',
    group: 'Output',
    help: 'write to this file instead of standard output; required for wacz, and for markdown, mirror, llms, parquet, wet, wat and graph, as a folder',
  },
  {
    name: 'chunk',
    argument: 'TOKENS',
    type: 'count',
    group: 'Output',
    help: 'documents, cut at headings and paragraphs into pieces of at most this many tokens',
  },
  {
    name: 'tables',
    argument: 'NAMES',
    type: 'rules',
    choices: CLOUD_TABLES,
    group: 'Output',
    preset: 'index,urls,items',
    help: 'with --format parquet: the tables to write, with commas between them: index, urls, items, documents',
  },
  {
    name: 'by-site',
    type: 'flag',
    group: 'Output',
    help: 'with --format jsonl or csv and --out FOLDER: a file for each site of a crawl that has a list of them',
  },
  {
    name: 'group',
    argument: 'NAME',
    type: 'text',
    group: 'Output',
    help: 'with --by-site: only sites of this group',
  },
  {
    name: 'in-cloud',
    type: 'flag',
    only: 'stack',
    reason: 'on one machine, the machine itself makes the export',
    group: 'Stack',
    help: 'the stack makes the export, for hours if it must, in its bucket; --list shows how far it is',
  },
  {
    name: 'list',
    type: 'flag',
    only: 'stack',
    reason: 'on one machine, an export is made when the command ends',
    group: 'Stack',
    help: 'show the exports that the stack makes or has made (--in-cloud), or the one with this ID, and where their files are',
  },
  {
    ...JSON_OPTION,
    only: 'stack',
    reason: 'its answers are files and rows',
    group: 'Stack',
    help: 'with --list or --in-cloud: answer in one line of JSON on standard output',
  },
];

export const command = verb({
  usage: 'export DIR --format FORMAT [options]',
  stackUsage: 'export CRAWL [ID] [options]',
  more: 'By default every known URL and its outcome; or skipped links.',
  examples: [
    'export crawls/example.org --format csv > urls.csv',
    'export crawls/a --format csv --skipped --out left-out.csv',
    'export crawls/a --items --out items.csv',
    'export crawls/example.org --format wacz --out example.wacz',
    'export crawls/a --format markdown --out pages',
    'export crawls/a --chunk 500 --out chunks.jsonl',
    '--stack Strand export news --format parquet --in-cloud',
    '--stack Strand export news --list',
    'export crawls/a --format graph --out graph',
    '--stack Strand export news --format wacz --out news.wacz',
    '--stack Strand export news --format markdown --out pages',
  ],
  options: OPTIONS,
  read: readExport,
  async run(asked, place) {
    return 'isList' in asked ? listExports(asked, place) : runExport(asked, place);
  },
});

async function runExport({ crawl, config, inCloud, ...asked }: ExportAsked, place: Place): Promise<number> {
  const { format, tables, out } = asked;
  if (inCloud) {
    const { printCloudExport } = await import('../cloud-exports.ts');
    const request = { format: inCloud, ...(tables && { tables: [...tables] }) };
    return printCloudExport(await place.stack!.control.beginExport(crawl, request), place);
  }
  const opened = await (hasDocuments(asked) ? place.openForDocuments(crawl, config) : place.open(crawl));
  if (!isRowFormat(format)) {
    const { exportArchive } = await import('../export/export-archive.ts');
    return exportArchive(opened, { ...asked, format });
  }
  await exportRowsOf(opened, { ...asked, format, out }, place);
  return exitCodes.finished;
}

async function listExports({ crawl, id }: ListAsked, place: Place): Promise<number> {
  const { control } = place.stack!;
  const { cloudExportsText, printCloudExport } = await import('../cloud-exports.ts');
  if (id !== undefined) return printCloudExport(await control.exportOf(crawl, id), place);
  const exports = await control.exports(crawl);
  const begin = `${commandAt(place.addressOf(crawl), 'export')} --in-cloud`;
  return place.print({ exports }, cloudExportsText(exports, begin));
}

interface RowExport extends RowKinds {
  readonly format: RowFormat;
  readonly bySite?: true;
  readonly group?: string;
  readonly out: string | undefined;
}

/** Every known URL, every link left out or every item. */
async function exportRowsOf(
  crawl: OpenedCrawl,
  { format, skipped, items, bySite, group, out }: RowExport,
  place: Place,
): Promise<void> {
  if (bySite) {
    const { exportBySite } = await import('../export/export-by-site.ts');
    const sites = (page: SitePageRequest) => crawl.sites(page);
    const files = await exportBySite({ sites, urls: () => crawl.urls() }, { format, out: out!, group });
    place.err.write(`${formatCounted(files, 'file')}\n`);
    return;
  }
  const { withOutput } = await import('../export/output-file.ts');
  const { writeItems, writeSkips, writeUrls } = await import('../export/write-rows.ts');
  const write = items ? writeItems : skipped ? writeSkips : writeUrls;
  await withOutput(out, (stream) => write(crawl, format, stream), place.out);
  if (items && (await isEmpty(crawl.items())))
    place.err.write(
      'No items: no hook of this crawl has returned one; process DIR makes them of its archive\n',
    );
}

async function isEmpty(rows: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _ of rows) return false;
  return true;
}
