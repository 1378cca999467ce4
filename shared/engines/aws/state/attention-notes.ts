/** The figures by which the waker finds troubles of the whole stack, and which troubles were announced. */
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { itemKey, N, S } from '../table/item.ts';
import { queryItems } from '../table/query.ts';
import { deleteItem, putItem, updateItem } from '../table/table.ts';
import { ATTENTION, EXPIRES_AT, expiresAt, type StateTable } from './tables.ts';

/** Requests, those of them that count against their hosts, and US dollars. */
export type Figures = readonly [requests: number, errors: number, cost: number];

/** The figures of all crawls, up to `at`, since the sample before. */
export interface Sample {
  readonly at: number;
  readonly figures: Figures;
}

export interface WatchState {
  /** When `crawls` was read. */
  readonly at: number;
  /** The figures since their beginning of the crawls that were looked at. */
  readonly crawls: Readonly<Record<CrawlId, Figures>>;
  /** The notes of the last hour, oldest first. */
  readonly samples: readonly Sample[];
}

export interface AttentionNotes {
  /** The state as stored last, and when each trouble was announced. */
  load(): Promise<{ readonly state?: WatchState; readonly announced: ReadonlyMap<string, number> }>;
  store(state: WatchState): Promise<void>;
  /** Notes that the trouble is announced now. False if another process did so in the last `repeatMs`. */
  claim(trouble: string, repeatMs: number): Promise<boolean>;
  /** The trouble is over: when it comes again, it is announced again. */
  forget(trouble: string): Promise<void>;
}

const STATE = 'state';
const TROUBLE_PREFIX = 'trouble#';
const KEPT_MS = 30 * 86_400_000;

export function createAttentionNotes(table: StateTable): AttentionNotes {
  const { clock } = table;
  /** By trouble, a claim that failed, though it may have been taken: the same one is made again. */
  const unanswered = new Map<string, string>();
  const expires = () => expiresAt(clock.now() + KEPT_MS);
  return {
    async load() {
      const announced = new Map<string, number>();
      let state: WatchState | undefined;
      for await (const { sk, saidAt, json } of queryItems(table, { partition: ATTENTION })) {
        const name = sk?.S ?? '';
        if (name === STATE) state = JSON.parse(json?.S ?? '{}');
        else announced.set(name.slice(TROUBLE_PREFIX.length), Number(saidAt?.N));
      }
      return { announced, ...(state && { state }) };
    },
    async store(state) {
      const json = S(JSON.stringify(state));
      await putItem(table, { ...itemKey(ATTENTION, STATE), json, [EXPIRES_AT]: expires() });
    },
    async claim(trouble, repeatMs) {
      const now = clock.now();
      const claim = unanswered.get(trouble) ?? clock.uuid();
      unanswered.delete(trouble);
      try {
        const { isWritten } = await updateItem(table, itemKey(ATTENTION, TROUBLE_PREFIX + trouble), {
          update: `SET saidAt = :now, claim = :claim, ${EXPIRES_AT} = :expires`,
          // A call whose answer was lost is made again: it must not take its own claim for another process's.
          condition: 'attribute_not_exists(saidAt) OR saidAt <= :before OR claim = :claim',
          values: { now: N(now), before: N(now - repeatMs), claim: S(claim), expires: expires() },
        });
        return isWritten;
      } catch (error) {
        unanswered.set(trouble, claim);
        throw error;
      }
    },
    async forget(trouble) {
      await deleteItem(table, itemKey(ATTENTION, TROUBLE_PREFIX + trouble));
    },
  };
}
