import type { Head } from '../../shared/core/frontier/head.ts';
import { indexName } from '../../shared/engines/aws/archive/compact-layout.ts';
import { stampOf } from '../../shared/engines/aws/archive/item-objects.ts';
import { isSettledEntry } from '../../shared/engines/aws/state/unjoined.ts';
import type { Violation } from '../worlds/spec.ts';
import { type CrawlFacts, type Facts, type HostFacts, mayHaveLostTurns } from './facts.ts';
import { createFindings, type Findings } from './findings.ts';

type UsedFacts = Pick<Facts, 'crawls' | 'strikes' | 'hasCompactor' | 'now'>;

/** The compactor runs this often in a world (`worlds/world.ts`). */
const COMPACTOR_MS = 1_200_000;
/** Objects of items whose names say that they are younger are left alone. */
const ITEM_AGE_MS = 3_600_000;
const STAMP_CHARS = stampOf(0).length;
const RUN_PARTS = ['keys', 'ready', 'later', 'done'];

/**
 * Checks that a commit sweeps the parts it makes obsolete: all parts that neither the new head names nor the
 * one before, except those of attempts at this version or later. Checks that an object that holds a part has
 * its row. And that a crawl that is over has no WARC objects other than joined ones if there is a compactor,
 * and no unfinished multipart upload; and that the compactor looks at it no more.
 *
 * The compactor's list has times of those who have put crawls on it, and so have the names of objects of items: one whose
 * clock was ahead keeps a crawl there for longer.
 * A process that died after its commit, or whose calls failed, leaves its sweep to the next one.
 */
export function noGarbage(facts: UsedFacts): readonly Violation[] {
  const findings = createFindings('noGarbage');
  const excuse = mayHaveLostTurns(facts) ? ('leftBehind' as const) : undefined;
  for (const crawl of facts.crawls) {
    for (const host of crawl.hosts.values()) checkParts(findings, crawl, host, excuse);
    if (facts.hasCompactor) checkArchive(findings, facts, crawl, excuse);
  }
  return findings.list;
}

type Excuse = 'leftBehind' | 'wrongClock' | undefined;

function checkParts(
  findings: Findings,
  { id }: CrawlFacts,
  { host, heads, parts, partObjects }: HostFacts,
  excuse: Excuse,
): void {
  const rows = new Set(parts);
  for (const name of partObjects)
    if (!rows.has(name))
      findings.add(`${id}: the object of the part ${name} of ${host} has no row`, { host, excuse });

  // The last commit that made parts obsolete. `intent` commits of careful turns change no parts.
  const at = heads.findLastIndex((change, i) => {
    const before = heads[i - 1];
    return before && ledgerParts(before.head).some((name) => !ledgerParts(change.head).includes(name));
  });
  const [before, swept] = [heads[at - 1]?.head, heads[at]?.head];
  if (!before || !swept) return;
  const kept = new Set([...namesOf(before), ...heads.slice(at).flatMap(({ head }) => namesOf(head))]);
  for (const name of parts)
    if (!kept.has(name) && versionOf(name) <= before.version)
      findings.add(
        `${id}: the part ${name} of ${host} is still there; version ${swept.version} of its head has swept what is not named`,
        { host, excuse },
      );
}

const ledgerParts = ({ ledger }: Head): string[] => [
  ...ledger.segments,
  ...ledger.runs.flatMap(({ id, again }) =>
    RUN_PARTS.map((part) => `${id}.${part}`).concat(again ? `${id}.again` : []),
  ),
];

const namesOf = (head: Head): string[] => [
  ...ledgerParts(head),
  ...head.robots.flatMap(({ part }) => part ?? []),
];

/** Parts are called by letters, the version of the head that they were made for, and chance. */
const versionOf = (name: string): number => Number(/^[a-z]+(\d+)-/.exec(name)?.[1] ?? Number.NaN);

function checkArchive(
  findings: Findings,
  { now, strikes }: UsedFacts,
  { id, status, files, tables, joined, uploads, aside, unjoinedSince, itemObjects }: CrawlFacts,
  excuse: Excuse,
): void {
  for (const key of uploads) findings.add(`${id}: an upload of ${key} has not ended`, { excuse });
  const made = new Set(Array.from(joined.values(), ({ file }) => file));
  for (const source of joined.keys())
    if (files.has(source)) findings.add(`${id}: ${source} was joined, and is still there`, { excuse });
  for (const file of tables.keys())
    if (!made.has(file))
      findings.add(`${id}: there are tables of ${file}, which is not announced`, { excuse });
  if (status !== 'finished' && status !== 'stopped') return;
  if (unjoinedSince !== undefined) {
    const visitedAt = now - COMPACTOR_MS;
    const isSettled =
      isSettledEntry({ enteredAt: unjoinedSince }, visitedAt) &&
      itemObjects.every((name) => name.slice(0, STAMP_CHARS) <= stampOf(visitedAt - ITEM_AGE_MS));
    findings.add(`${id} is ${status}, and the compactor still has it on its list`, {
      excuse: !isSettled && strikes.clockStepped > 0 ? 'wrongClock' : excuse,
    });
  }
  const indexes = new Set([...made].map(indexName));
  for (const file of files.keys())
    if (!made.has(file) && !indexes.has(file) && !joined.has(file) && !aside.includes(file))
      findings.add(`${id} is ${status}, and ${file} has not been joined`, { excuse });
}
