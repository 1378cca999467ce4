import type { RecordLocation } from '../../../core/archive/record-location.ts';
import type { WarcMember } from '../../../core/archive/warc-member.ts';
import type { OpenWarcFile } from './archive-file.ts';

/** Members as they will stand behind each other at the end of a file. */
export interface PlacedMembers {
  readonly pieces: readonly Uint8Array[];
  readonly locations: RecordLocation[];
  /** The file's size with them. */
  readonly end: number;
}

/** Undefined if a member is not in memory. */
export function placeMembers(
  file: Pick<OpenWarcFile, 'name' | 'size'>,
  members: readonly WarcMember[],
): PlacedMembers | undefined {
  const pieces: Uint8Array[] = [];
  const locations: RecordLocation[] = [];
  let end = file.size();
  for (const member of members) {
    if (Symbol.asyncIterator in member) return undefined;
    const offset = end;
    for (const piece of member) {
      end += piece.length;
      pieces.push(piece);
    }
    locations.push({ file: file.name, offset, length: end - offset });
  }
  return { pieces, locations, end };
}
