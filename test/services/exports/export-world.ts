/** The function that makes exports, over the simulated account: its slices can be made short, and ended at any write. */
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { createExporterHandler } from '../../../functions/exporter-handler.ts';
import type { AwsClients } from '../../../shared/engines/aws/engine.ts';
import { ExportJobs } from '../../../shared/engines/aws/exports/export-jobs.ts';
import { exportContextOf } from '../../../shared/engines/aws/exports/stack-context.ts';
import type { CrawlExport, ExportRequest } from '../../../shared/services/control/crawl-export.ts';
import type { MediaModule } from '../../../shared/services/project/media-module.ts';
import type { SimProcess } from '../../../simulation/models/process.ts';
import type { DeployedWorld } from '../../api/stack/deployed-world.ts';

const TIMEOUT_MS = 900_000;
const MINUTE = 60_000;
const WRITES = /^(?:Put|Update|Delete|Create|Upload|Complete|Abort)/;

export interface ExporterOptions {
  /** How long a function has for a slice, in looks at its clock. Default: for all. */
  readonly looks?: number;
  /** The write after which the function dies, the first time that it comes to it. */
  readonly diesAfter?: number;
  /** The same, and the write is not sent any more. */
  readonly diesBefore?: number;
  readonly maxFileBytes?: number;
  /** URLs with files of their own at most. */
  readonly maxListed?: number;
  /** Those of the deployed project. */
  readonly modules?: readonly MediaModule[];
  /** Objects cannot be stored, for this reason. */
  readonly fails?: string;
  /** Called between slices. */
  readonly between?: (slices: number) => Promise<void>;
}

export interface MadeExport {
  readonly shown: CrawlExport;
  /** Runs of the function. */
  readonly slices: number;
  readonly deaths: number;
  readonly warnings: readonly string[];
}

/** Makes an export to its end. */
export async function makeExport(
  { cloud, connection: { control } }: DeployedWorld,
  crawl: string,
  request: ExportRequest,
  options: ExporterOptions = {},
): Promise<MadeExport> {
  const { looks = 1e9, diesAfter, diesBefore, maxFileBytes, maxListed, modules, between, fails } = options;
  const { id } = await control.beginExport(crawl, request);
  const { settings } = cloud;
  const warnings: string[] = [];
  let now = cloud.time.now();
  let slices = 0;
  let writes = 0;
  let deaths = 0;

  function dying(process: SimProcess, clients: AwsClients): AwsClients {
    const wrapped = <Client extends object>(client: Client) =>
      Object.assign(Object.create(client), {
        send(command: object, ...more: unknown[]) {
          const { send } = client as { send: (command: object, ...more: unknown[]) => Promise<unknown> };
          const isWrite = WRITES.test(command.constructor.name);
          const number = isWrite ? ++writes : 0;
          if (fails && command.constructor.name === 'PutObjectCommand')
            return Promise.reject(new Error(fails));
          if (isWrite && number === diesBefore) {
            process.kill('before a write');
            return new Promise(() => {});
          }
          const sent = send.call(client, command, ...more);
          if (isWrite && number === diesAfter) process.kill('after a write');
          return sent;
        },
      }) as Client;
    return { ...clients, dynamo: wrapped(clients.dynamo), s3: wrapped(clients.s3) };
  }

  async function slice(): Promise<void> {
    const process = cloud.begin(`exporter-${++slices}`);
    const end = now + TIMEOUT_MS;
    const lookMs = Math.ceil(TIMEOUT_MS / looks);
    const clock = {
      ...process.clock,
      now() {
        now += lookMs;
        return now;
      },
    };
    const opened = cloud.open(process, { memoryMb: 1769, clients: dying(process, cloud.clientsOf(process)) });
    const handle = createExporterHandler({
      clock,
      log: (level, { message, cause }) => {
        if (level !== 'info') warnings.push(`${message}${cause === undefined ? '' : ` (${cause})`}`);
      },
      stack: opened,
      jobs: new ExportJobs({
        dynamo: opened.clients.dynamo,
        clock,
        table: settings.crawlState,
        bucket: settings.bucket,
      }),
      contextOf: exportContextOf({
        opened,
        settings,
        clock,
        sizes: cloud.sizes,
        maxFileBytes,
        maxListed,
        loadModules: async () => modules,
      }),
      continueNow: async () => {},
    });
    const died = process.died.then(() => 'died');
    const context = { getRemainingTimeInMillis: () => end - now };
    const ended = await Promise.race([handle(undefined, context).catch(() => 'failed'), died]);
    if (ended === 'died') deaths++;
    // Its lease.
    if (ended === 'died') now = end + 2 * MINUTE;
  }

  for (;;) {
    await slice();
    const shown = await control.exportOf(crawl, id);
    if (shown.state === 'done' || shown.state === 'failed') return { shown, slices, deaths, warnings };
    if (slices > 2000) throw new Error(`Expected an end: ${JSON.stringify(shown)} ${warnings.join('\n')}`);
    await between?.(slices);
  }
}

/** Files of the export by name, in order, without its description. */
export function filesOf({ cloud }: DeployedWorld, { crawl, id }: CrawlExport): Map<string, Uint8Array> {
  const prefix = `exports/${crawl}/${id}/`;
  const objects = [...cloud.s3.objects(cloud.settings.bucket)].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(
    objects.flatMap(([key, { bytes }]) =>
      key.startsWith(prefix) && !key.endsWith('/export.json')
        ? [[key.slice(prefix.length), bytes] as const]
        : [],
    ),
  );
}

/** The objects that an export leaves besides its files. */
export const remainsOf = ({ cloud }: DeployedWorld, { crawl, id }: CrawlExport): string[] =>
  [...cloud.s3.objects(cloud.settings.bucket).keys()].filter((key) =>
    key.startsWith(`export-work/${crawl}/${id}/`),
  );

export const textOf = (files: ReadonlyMap<string, Uint8Array>): string =>
  [...files.values()].map((bytes) => gunzipSync(bytes).toString('utf8')).join('');

/** The rows of the Parquet files in a folder, in the order of their names. */
export async function rowsOf(
  files: ReadonlyMap<string, Uint8Array>,
  folder: string,
): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (const [name, bytes] of files) {
    if (!name.startsWith(`${folder}/`)) continue;
    const file = Uint8Array.from(bytes).buffer;
    const compressors = { ZSTD: (input: Uint8Array) => new Uint8Array(zstdDecompressSync(input)) };
    rows.push(...(await parquetReadObjects({ file, compressors })));
  }
  return rows;
}
