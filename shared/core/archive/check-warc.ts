/**
 * Checks a WARC file against the standard (ISO 28500:2017) and against its own fields, for `strand warc check`.
 */
import { constants, inflateRawSync } from 'node:zlib';
import { gzipHeadLength } from '../parser/gzip-head.ts';
import { checkBlock } from './check-block.ts';
import { checkFields, type NoteFault, type Severity } from './check-fields.ts';
import { type AwaitedId, createRecordIds, type RecordIds } from './check-ids.ts';
import { openRecord } from './read-member.ts';
import {
  fieldOf,
  isPlainRecord,
  NotWarc,
  PLAIN_START_BYTES,
  parseRecordHead,
  recordHeadLength,
} from './read-warc.ts';
import { codingWarning } from './replay-codings.ts';
import { type ReadAt, type ScannedMember, scanMembers } from './scan-members.ts';

/** Something wrong in a file. */
export interface WarcFault {
  readonly file: string;
  /** Offset of the record's gzip member in bytes. */
  readonly offset: number;
  readonly severity: Severity;
  /** The expected value and the actual one. */
  readonly message: string;
}

export interface CheckedWarc {
  readonly bytes: number;
  /** Records by WARC-Type. */
  readonly records: Readonly<Record<string, number>>;
}

export interface WarcCheck {
  /**
   * Checks the file. After a broken member it continues with the next one that it finds. `note` is called for
   * each fault as it is met. Holds some megabytes, whatever the size of file and records. Throws what `read`
   * throws.
   */
  file(name: string, read: ReadAt): Promise<CheckedWarc>;
  /** Reports faults that only all files together can show: call it after the last. */
  end(): void;
}

/** Checks files that belong together: records of one may refer to those of another. */
export function createWarcCheck(note: (fault: WarcFault) => void): WarcCheck {
  const ids = createRecordIds();
  const revisited = createRecordIds();
  return {
    async file(name, read) {
      const records: Record<string, number> = {};
      const codings = new Map<string, CodedRecords>();
      const inFile = createRecordIds();
      const noteAt = (offset: number, severity: Severity, message: string) =>
        note({ file: name, offset, severity, message });
      const isPlain = isPlainRecord(await read(0, PLAIN_START_BYTES));
      const budget = createSearchBudget();
      let at = 0;
      for (let isOver = false; !isOver; ) {
        try {
          const from = at;
          for await (const found of scanMembers((offset, length) => read(from + offset, length))) {
            const member = { ...found, offset: from + found.offset };
            at = member.offset + member.length;
            const type = fieldOf(member.record, 'WARC-Type') ?? 'none';
            // Types come from the file, and may be any text.
            const key =
              Object.keys(records).length < MAX_TYPES || Object.hasOwn(records, type) ? type : 'other';
            records[key] = (records[key] ?? 0) + 1;
            const { offset } = member;
            const noteHere: NoteFault = (severity, message) => noteAt(offset, severity, message);
            checkIds(name, member, { ids, inFile, revisited }, noteHere);
            checkFields(member.record, noteHere);
            const coding = await checkBlockOf(read, member, noteHere);
            if (coding !== undefined) countCoding(codings, coding, offset);
          }
          isOver = true;
        } catch (error) {
          if (!(error instanceof NotWarc)) throw error;
          budget.spend(at, error.readBytes);
          const next = await nextRecord(read, at, { isPlain, budget });
          const skipped =
            next !== undefined
              ? `the next record is at ${next}`
              : budget.isSpent
                ? 'the rest of the file is not checked, since most of what was read is damaged'
                : 'no other record after it';
          noteAt(
            at,
            'error',
            `${error.message.replace(/^Member at \d+(?: \(\d+ bytes\))?: /, '')}; ${skipped}`,
          );
          at = next ?? (await sizeFrom(read, at));
          isOver = next === undefined;
        }
      }
      if (at === 0) noteAt(0, 'error', 'expected at least one record, got an empty file');
      for (const { offset, id } of inFile.missing())
        noteAt(offset, 'error', `WARC-Concurrent-To: expected ${id} in the file, and it is not there`);
      for (const [coding, { first, count }] of codings)
        noteAt(first, 'warning', codingWarning(coding, count));
      return { bytes: at, records };
    },
    end() {
      // Not an error: the record may belong to an earlier crawl.
      for (const { file, offset, id } of revisited.missing())
        note({
          file,
          offset,
          severity: 'warning',
          message: `WARC-Refers-To: ${id} is not in the files given`,
        });
    },
  };
}

const MAX_TYPES = 20;
const { Z_SYNC_FLUSH } = constants;

/** Records of a file in one content coding. */
interface CodedRecords {
  readonly first: number;
  readonly count: number;
}

function countCoding(codings: Map<string, CodedRecords>, coding: string, offset: number): void {
  const { first = offset, count = 0 } = codings.get(coding) ?? {};
  codings.set(coding, { first, count: count + 1 });
}

interface Ids {
  readonly ids: RecordIds;
  readonly inFile: RecordIds;
  readonly revisited: RecordIds;
}

function checkIds(
  file: string,
  { record, offset }: ScannedMember,
  { ids, inFile, revisited }: Ids,
  note: NoteFault,
): void {
  const id = fieldOf(record, 'WARC-Record-ID');
  if (id) {
    if (!ids.add(id))
      note('error', `WARC-Record-ID: expected one of its own, ${id} is another record's, too`);
    inFile.add(id);
    revisited.add(id);
  }
  const expect = (known: RecordIds, reference: string) => {
    const awaited: AwaitedId = { id: reference, file, offset };
    known.expect(awaited);
  };
  for (const [name, value] of record.fields)
    if (name.toLowerCase() === 'warc-concurrent-to') expect(inFile, value);
  const refersTo = fieldOf(record, 'WARC-Refers-To');
  if (refersTo) expect(revisited, refersTo);
}

/** A block that the scan has given whole is not read again. */
async function checkBlockOf(
  read: ReadAt,
  member: ScannedMember,
  note: NoteFault,
): Promise<string | undefined> {
  const { record, offset, blockStart: start } = member;
  if (start.length === record.blockLength) return checkBlock({ record, start, chunks: [start] }, note);
  const opened = await openRecord(read, offset);
  try {
    return await checkBlock({ record, start, chunks: opened.block }, note);
  } finally {
    await opened.close();
  }
}

const SEARCH_BYTES = 1024 * 1024;
/** The first bytes of a gzip member. */
const MEMBER_START = Buffer.from([0x1f, 0x8b, 8]);

/** Bytes that may be read in vain, beside {@link VAIN_SHARE} times the part of the file that is known. */
const VAIN_BYTES = 16 * 1024 * 1024;
const VAIN_SHARE = 4;
/** The least that a broken member counts as, however early it breaks: to begin one costs as much. */
const LEAST_VAIN_BYTES = 16 * 1024;

/**
 * Members of stored blocks may lie in one another, each of them reaching to the end of the file: what broken ones cost in all is
 * bounded by the size of the file.
 */
interface SearchBudget {
  /** A member at `offset` is broken, and `bytes` were read of it. */
  spend(offset: number, bytes: number): void;
  readonly isSpent: boolean;
}

function createSearchBudget(): SearchBudget {
  let vain = 0;
  let known = 0;
  return {
    spend(offset, bytes) {
      vain += Math.max(LEAST_VAIN_BYTES, bytes);
      known = Math.max(known, offset + bytes);
    },
    get isSpent() {
      return vain > VAIN_BYTES + VAIN_SHARE * known;
    },
  };
}

interface Search {
  /** The file is not compressed. */
  readonly isPlain: boolean;
  readonly budget: SearchBudget;
}

/** Where the next record begins after the broken one at `at`; undefined if none does, or that would take too long. */
async function nextRecord(
  read: ReadAt,
  at: number,
  { isPlain, budget }: Search,
): Promise<number | undefined> {
  const [startBytes, placeIn] = isPlain
    ? ([VERSION_LINE_BYTES, plainIn] as const)
    : ([MEMBER_START.length, memberIn] as const);
  for (let from = at + 1; ; ) {
    const piece = await read(from, SEARCH_BYTES);
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    const place = await placeIn(read, from, bytes, budget);
    if (place !== undefined || piece.length < SEARCH_BYTES || budget.isSpent) return place;
    from += piece.length - (startBytes - 1);
  }
}

/** The first member in a piece of the file, which begins at `from`. */
async function memberIn(
  read: ReadAt,
  from: number,
  bytes: Buffer,
  budget: SearchBudget,
): Promise<number | undefined> {
  for (let found = bytes.indexOf(MEMBER_START); found >= 0; found = bytes.indexOf(MEMBER_START, found + 1)) {
    if (budget.isSpent) return undefined;
    if (!mayBeRecord(bytes, found)) continue;
    if (await isRecordAt(read, from + found)) return from + found;
    budget.spend(from + found, 0);
  }
  return undefined;
}

const VERSION = Buffer.from('WARC/1.');
const VERSION_LINE_BYTES = VERSION.length + 3;

/**
 * As {@link memberIn}, for uncompressed records. Each is searched up to the next version line, so no byte is read
 * often.
 */
async function plainIn(read: ReadAt, from: number, bytes: Buffer): Promise<number | undefined> {
  for (let found = nextVersionLine(bytes, 0); found >= 0; ) {
    const next = nextVersionLine(bytes, found + 1);
    const start = bytes.subarray(found, next < 0 ? undefined : next);
    const headLength = recordHeadLength(start);
    const isRecord =
      headLength === undefined
        ? next < 0 && (await isRecordAt(read, from + found))
        : isHead(start.subarray(0, headLength));
    if (isRecord) return from + found;
    found = next;
  }
  return undefined;
}

function nextVersionLine(bytes: Buffer, from: number): number {
  for (let found = bytes.indexOf(VERSION, from); found >= 0; found = bytes.indexOf(VERSION, found + 1))
    if (bytes.toString('latin1', found + VERSION.length + 1, found + VERSION_LINE_BYTES) === '\r\n')
      return found;
  return -1;
}

function isHead(bytes: Uint8Array): boolean {
  try {
    parseRecordHead(bytes);
    return true;
  } catch (error) {
    if (error instanceof NotWarc) return false;
    throw error;
  }
}

/** The largest header of a member that is searched for. */
const MAX_HEAD = 256;
/** This many bytes after it hold a version line, however it is compressed. */
const VERSION_BYTES = 256;

/**
 * Whether the member at `found` of `bytes` begins with a record's version line, as far as `bytes` go. Takes
 * some 10 us, where opening the member takes a millisecond: a file may be full of bytes that look like a
 * member's beginning.
 */
function mayBeRecord(bytes: Buffer, found: number): boolean {
  const start = bytes.subarray(found, found + MAX_HEAD + VERSION_BYTES);
  if (start.length < MAX_HEAD + VERSION_BYTES) return true;
  const headLength = gzipHeadLength(start.subarray(0, MAX_HEAD));
  if (!headLength) return false;
  const data = start.subarray(headLength, headLength + VERSION_BYTES);
  // XFL (RFC 1952, section 2.3.1): 2 or 4 for the slowest or fastest compression, else 0.
  if (![0, 2, 4].includes(start[8] as number) || !isBlockStart(data)) return false;
  try {
    const text = inflateRawSync(data, {
      finishFlush: Z_SYNC_FLUSH,
      maxOutputLength: 1024 * 1024,
    });
    return text.toString('latin1', 0, 7) === 'WARC/1.';
  } catch {
    return false;
  }
}

/**
 * Whether DEFLATE may begin so (RFC 1951, section 3.2.3): block type 3 is reserved; type 0 has its length
 * twice.
 */
function isBlockStart(bytes: Buffer): boolean {
  const type = (bytes.readUInt8(0) >> 1) & 3;
  return type !== 3 && (type !== 0 || (bytes.readUInt16LE(1) ^ bytes.readUInt16LE(3)) === 0xffff);
}

async function isRecordAt(read: ReadAt, offset: number): Promise<boolean> {
  try {
    await (await openRecord(read, offset)).close();
    return true;
  } catch (error) {
    if (error instanceof NotWarc) return false;
    throw error;
  }
}

async function sizeFrom(read: ReadAt, from: number): Promise<number> {
  for (let at = from; ; ) {
    const { length } = await read(at, SEARCH_BYTES);
    at += length;
    if (length < SEARCH_BYTES) return at;
  }
}
