/**
 * The exports of a stack's crawls: one item of CrawlState for each. A function that works on one holds it by a lease that
 * lasts longer than the function can, so no two work on it at once. What a slice of the work has done counts
 * when the item's version has grown.
 */
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import {
  type CrawlExport,
  type CrawlExports,
  type ExportRequest,
  type ExportState,
  isOpenExport,
  newExportId,
} from '../../../services/control/crawl-export.ts';
import {
  type ExportNotes,
  type ExportProgress,
  type HeldExport,
  NO_PROGRESS,
} from '../../../services/exports/held-export.ts';
import { EXPORTS, type StateTable } from '../state/tables.ts';
import { type Item, itemKey, N, S } from '../table/item.ts';
import { queryItems } from '../table/query.ts';
import { type Change, deleteItem, getItem, putItem, updateItem } from '../table/table.ts';
import { exportsPrefix } from './export-folders.ts';

export interface ExportJobsContext extends StateTable {
  readonly bucket: string;
}

/** The export was taken over by another function, or deleted. Nothing needs to be undone: stop. */
export class ExportLost extends Error {
  override name = 'ExportLost';
}

export class ExportJobs implements CrawlExports, ExportNotes {
  readonly #context: ExportJobsContext;
  readonly #me: string;

  constructor(context: ExportJobsContext) {
    this.#context = context;
    this.#me = context.clock.uuid();
  }

  /** `name`: of an export that is begun once, whatever the number of calls with it. */
  async begin(crawl: CrawlId, { format, tables }: ExportRequest, name?: string): Promise<CrawlExport> {
    const { clock } = this.#context;
    const now = clock.now();
    const id = name ?? newExportId(format, now, clock.uuid());
    const item = {
      ...keyOf(crawl, id),
      request: S(JSON.stringify({ format, ...(tables && { tables }) })),
      state: S('waiting' satisfies ExportState),
      requestedAt: N(now),
      progress: S(JSON.stringify(NO_PROGRESS)),
      version: N(0),
    };
    const isFirst = { condition: 'attribute_not_exists(pk)' };
    const { found } = await putItem(this.#context, item, name === undefined ? undefined : isFirst);
    return this.#shown(found ?? item);
  }

  async list(crawl: CrawlId): Promise<CrawlExport[]> {
    const found: CrawlExport[] = [];
    for await (const item of this.#items(`${crawl} `)) found.push(this.#shown(item));
    return found;
  }

  async load(crawl: CrawlId, id: string): Promise<CrawlExport | undefined> {
    const item = await getItem(this.#context, keyOf(crawl, id));
    return item && this.#shown(item);
  }

  /** Exports that are neither done nor failed. */
  async open(): Promise<Pick<CrawlExport, 'crawl' | 'id'>[]> {
    const open: Pick<CrawlExport, 'crawl' | 'id'>[] = [];
    for await (const { sk, state } of this.#items(''))
      if (isOpenExport(state?.S)) open.push(namesIn(sk?.S as string));
    return open;
  }

  /** Undefined while another function has it, and when it is over. `until`: when this function is dead at the latest. */
  async take(crawl: CrawlId, id: string, until: number): Promise<HeldExport | undefined> {
    const item = await this.#update(crawl, id, {
      update: 'SET holder = :me, leaseUntil = :until, #state = :running ADD tries :one',
      condition:
        '(#state = :waiting OR #state = :running) AND (attribute_not_exists(holder) OR leaseUntil < :now)',
      values: {
        until: N(until),
        now: N(this.#context.clock.now()),
        one: N(1),
        waiting: S('waiting'),
        running: S('running'),
      },
      isOurs: (found) => found.leaseUntil?.N === String(until),
    });
    return (
      item && {
        crawl,
        id,
        request: JSON.parse(item.request?.S as string),
        version: Number(item.version?.N),
        tries: Number(item.tries?.N),
        progress: JSON.parse(item.progress?.S as string),
      }
    );
  }

  /** Notes that a slice of the work counts, and returns the export after it. Throws {@link ExportLost}. */
  async advance(held: HeldExport, progress: ExportProgress): Promise<HeldExport> {
    const version = held.version + 1;
    const item = await this.#update(held.crawl, held.id, {
      update: 'SET progress = :progress, version = :next, tries = :zero',
      condition: 'holder = :me AND version = :version',
      values: {
        progress: S(JSON.stringify(progress)),
        version: N(held.version),
        next: N(version),
        zero: N(0),
      },
      isOurs: (found) => found.version?.N === String(version),
    });
    if (!item) throw new ExportLost(`another function works on ${held.id} of the crawl ${held.crawl}`);
    return { ...held, version, progress, tries: 0 };
  }

  /** Ends the export. Nothing happens if another function has it. */
  async end({ crawl, id }: HeldExport, state: 'done' | 'failed', message?: string): Promise<void> {
    await this.#update(crawl, id, {
      update: `SET #state = :state, endedAt = :now${message === undefined ? '' : ', message = :message'} REMOVE holder, leaseUntil`,
      condition: 'holder = :me',
      values: {
        state: S(state),
        now: N(this.#context.clock.now()),
        ...(message !== undefined && { message: S(message) }),
      },
    });
  }

  /** Lets another function have it at once. Never rejects: the lease ends by itself. */
  async release({ crawl, id }: HeldExport): Promise<void> {
    const released = this.#update(crawl, id, {
      update: 'REMOVE holder, leaseUntil',
      condition: 'holder = :me',
    });
    await released.catch(() => {});
  }

  /** Removes the exports of the crawl from the list; their files stay. */
  async forget(crawl: CrawlId): Promise<void> {
    for await (const { sk } of this.#items(`${crawl} `))
      await deleteItem(this.#context, itemKey(EXPORTS, sk?.S as string));
  }

  #items(prefix: string): AsyncGenerator<Item> {
    return queryItems(this.#context, { partition: EXPORTS, prefix });
  }

  /** The item after the change; undefined if the condition does not hold. */
  async #update(
    crawl: CrawlId,
    id: string,
    { values, isOurs, ...change }: Change,
  ): Promise<Item | undefined> {
    const { isWritten, returned, found } = await updateItem(
      this.#context,
      keyOf(crawl, id),
      {
        ...change,
        values: { ...values, me: S(this.#me) },
        isOurs: (item) => item.holder?.S === this.#me && isOurs?.(item) === true,
      },
      'ALL_NEW',
    );
    return isWritten ? (returned ?? found) : undefined;
  }

  #shown({ sk, request, state, requestedAt, endedAt, progress, message }: Item): CrawlExport {
    const { crawl, id } = namesIn(sk?.S as string);
    return {
      crawl,
      id,
      ...(JSON.parse(request?.S as string) as ExportRequest),
      state: state?.S as ExportState,
      location: `s3://${this.#context.bucket}/${exportsPrefix(crawl)}${id}/`,
      requestedAt: isoTime(requestedAt?.N),
      ...(endedAt !== undefined && { endedAt: isoTime(endedAt.N) }),
      ...(JSON.parse(progress?.S as string) as ExportProgress),
      ...(message?.S !== undefined && { message: message.S }),
    };
  }
}

const keyOf = (crawl: CrawlId, id: string): Item => itemKey(EXPORTS, `${crawl} ${id}`);

function namesIn(sortKey: string): { crawl: CrawlId; id: string } {
  const [crawl = '', id = ''] = sortKey.split(' ');
  return { crawl, id };
}

const isoTime = (time: string | undefined): string => new Date(Number(time)).toISOString();
