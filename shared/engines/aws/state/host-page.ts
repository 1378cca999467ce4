/** The heads of a crawl's hosts, in pages. */
import { type Head, parseHead } from '../../../core/frontier/head.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import type { Item } from '../table/item.ts';
import { hostOf } from './tables.ts';

export interface HostEntry {
  readonly host: HostKey;
  readonly head: Head;
}

export interface HostPage {
  readonly hosts: HostEntry[];
  /** Where the next page begins; none: there is none. */
  readonly cursor?: string;
}

export const headIn = ({ pk, sk, head }: Item, table: string): Head =>
  parseHead(head?.S, `the table ${table}, at pk ${pk?.S} and sk ${sk?.S},`);

export const entryOf = (item: Item, table: string): HostEntry => ({
  host: hostOf(item.pk?.S as string),
  head: headIn(item, table),
});

/** A cursor that no page gave: the caller must start from the first page. */
export class InvalidCursor extends Error {
  override name = 'InvalidCursor';
}
