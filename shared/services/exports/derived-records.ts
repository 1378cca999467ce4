/** Records of WET and WAT files, made of those of WARC files. */
import { randomUUID } from 'node:crypto';
import { openWhole } from '../../core/archive/read-member.ts';
import { fieldOf } from '../../core/archive/read-warc.ts';
import { type ReadAt, type ScannedMember, scanMembers } from '../../core/archive/scan-members.ts';
import { recordId } from '../../core/archive/warc-record.ts';
import { encodeWarcinfo } from '../../core/archive/warcinfo.ts';
import { windowedRead } from '../../core/archive/windowed-read.ts';
import { messageOf } from '../../core/base/error-message.ts';
import { version } from '../../core/base/version.ts';
import type { ModuleReading } from '../outputs/page-document.ts';
import { type NewId, type SourceRecord, targetOf } from '../outputs/warc/source-record.ts';
import { type WatOptions, watRecord } from '../outputs/warc/wat.ts';
import { wetRecord } from '../outputs/warc/wet.ts';

export type DerivedFormat = 'wet' | 'wat';

/** Larger records are read only up to this size. */
const MAX_BLOCK_BYTES = 16 * 1024 * 1024;

type DerivedRecord = Uint8Array[] | undefined;

type Making = Required<Pick<WatOptions, 'onUnread'>> & WatOptions;

const MAKERS: Readonly<
  Record<DerivedFormat, (source: SourceRecord, newId: NewId, making: Making) => Promise<DerivedRecord>>
> = { wet: (source, newId, { modules }) => wetRecord(source, newId, modules), wat: watRecord };

const newId = () => recordId(randomUUID());

/** The record that is made of a record, if one is, and where the record ends in its file. */
export interface MadeRecord {
  readonly record: DerivedRecord;
  readonly end: number;
  /** The record refers to another one, perhaps in another crawl's archive, for its payload. */
  readonly isRevisit: boolean;
}

export interface DerivedFrom {
  readonly file: string;
  readonly format: DerivedFormat;
  /** Where a record begins: those before it are left out. */
  readonly offset?: number;
  /** URLs whose content is kept from exports. */
  readonly withheld: ReadonlySet<string>;
  /** Modules of the project. */
  readonly modules?: ModuleReading | undefined;
  readonly warn: (message: string) => void;
}

/** Yields the records that are derived from a WARC file. */
export async function* derivedRecords(
  read: ReadAt,
  { file, format, offset = 0, withheld, modules, warn }: DerivedFrom,
): AsyncGenerator<MadeRecord, void, undefined> {
  for await (const member of sourcesIn(read, { file, offset, warn })) {
    const isWithheld = withheld.has(targetOf(member.record) ?? '');
    const record = isWithheld ? undefined : await madeOf(member, { format, modules, warn });
    const isRevisit = !isWithheld && fieldOf(member.record, 'WARC-Type') === 'revisit';
    yield { record, end: member.offset + member.length, isRevisit };
  }
}

async function madeOf(
  source: SourceRecord,
  { format, modules, warn }: Pick<DerivedFrom, 'format' | 'modules' | 'warn'>,
): Promise<DerivedRecord> {
  const onUnread = (error: unknown) =>
    warn(`${source.file} at ${source.offset} has no text and links: ${messageOf(error)}`);
  try {
    return await MAKERS[format](source, newId, { modules, onUnread });
  } catch (error) {
    warn(`${source.file} at ${source.offset} is left out: ${messageOf(error)}`);
    return undefined;
  }
}

/** The records up to the first one that is damaged. */
async function* sourcesIn(
  read: ReadAt,
  { file, offset: start, warn }: Pick<DerivedFrom, 'file' | 'warn'> & { readonly offset: number },
): AsyncGenerator<SourceRecord, void, undefined> {
  try {
    for await (const member of scanMembers(windowedRead(read), start)) {
      const { record, offset, length, headLength } = member;
      const block = await blockOf(read, member);
      yield { record, file, offset, length, headLength, block, isCut: block.length < record.blockLength };
    }
  } catch (error) {
    if ((error as Error).name !== 'NotWarc') throw error;
    warn(`${file}: ${messageOf(error)}; what follows is left out`);
  }
}

async function blockOf(read: ReadAt, member: ScannedMember): Promise<Uint8Array> {
  const { record, blockStart } = member;
  if (blockStart.length >= record.blockLength) return blockStart;
  const { block, close } = await openWhole(read, member);
  try {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of block) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MAX_BLOCK_BYTES) break;
    }
    return Buffer.concat(chunks);
  } finally {
    await close();
  }
}

/** The record that begins a file `filename` made of a WARC file `source`. */
export const derivedWarcinfo = (crawl: string, source: string, filename: string): Uint8Array[] =>
  encodeWarcinfo({
    filename,
    date: Date.now(),
    software: `Strand/${version}`,
    crawl,
    description: `Made of ${source}`,
    id: newId(),
  });
