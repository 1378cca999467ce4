/** Checks a head that comes from another engine, whose tables somebody else may have written. */
import { z } from 'zod';
import { quoted } from '../text/printable.ts';
import { BadStoredName, isPartName } from '../text/stored-names.ts';
import type { HostKey } from '../url/host-key.ts';
import { isHost } from '../url/is-host.ts';
import { isDomainKey } from './domain-state.ts';
import type { Head } from './head.ts';
import { partsOf } from './head-parts.ts';

/** More than any ledger has: it merges its parts long before. */
const MAX_PARTS = 10_000;

const size = z.int().min(0);
const time = z.number().min(0);
const cursor = z.looseObject({ bytes: size, offset: size, skip: size, rank: z.number(), dueAt: z.number() });
const counts = z.record(z.string(), z.number());
const text = z.string();

/** Later versions may know more fields: unknown fields are kept, and do not name files. */
const headSchema = z.looseObject({
  version: z.int().min(1),
  clock: z.looseObject({ nextFetchAt: time, failures: z.number().min(0) }),
  robots: z
    .array(z.looseObject({ origin: text, kind: text, part: text.optional(), rules: text.optional() }))
    .max(MAX_PARTS),
  ledger: z.looseObject({
    segments: z.array(text).max(MAX_PARTS),
    runs: z
      .array(
        z.looseObject({
          id: text,
          urls: size,
          ready: cursor,
          later: cursor,
          doneBytes: size,
          again: cursor.optional(),
        }),
      )
      .max(MAX_PARTS),
    counts,
  }),
  totals: z.looseObject({
    pages: size,
    bytes: z.number().min(0),
    requests: size,
    httpStatus: counts,
    skipped: counts,
    errors: counts,
  }),
  dueAt: z.number().optional(),
});

/** No host has such a name, and no file: it is the key of counts that belong to no host. */
const isCountKey = (key: HostKey): boolean => isDomainKey(key) && /^@[\x21-\x7e]{0,255}$/.test(key);

/** Throws {@link BadStoredName} for a head that Strand cannot have written, and for a host that is none. */
export function checkHead(host: HostKey, head: Head): void {
  if (!isCountKey(host) && !isHost(host)) throw new BadStoredName(`Expected a host, got ${quoted(host)}`);
  const parsed = headSchema.safeParse(head);
  if (!parsed.success) throw forged(host, z.prettifyError(parsed.error));
  const bad = partsOf(head).find((part) => !isPartName(part));
  if (bad !== undefined) throw forged(host, `it names the part ${quoted(bad)}`);
}

const forged = (host: HostKey, why: string): BadStoredName =>
  new BadStoredName(
    `What is stored of the host ${quoted(host)} was not written by Strand, or is damaged, and is not copied: ${quoted(why)}`,
  );
