/**
 * A whole body with its Content-Encoding (RFC 9110, section 8.4) undone, at once and not before somebody
 * looks at it. What it gives of a broken body is what the crawl gave to its parser (`content-decoder.ts`).
 */
import { messageOf } from '../base/error-message.ts';
import {
  BAD_HEAD,
  BAD_SUM,
  type Coding,
  CUT,
  declaredCodings,
  hasCoding,
  isItself,
  type Members,
  maxMembers,
  membersOf,
  NOT_CODED,
  type SyncOptions,
  salvagedPiece,
  TOO_MANY_MEMBERS,
} from './content-codings.ts';
import { decodeAtOnce, decodedMember } from './decode-at-once.ts';

export interface DecodedBody {
  readonly bytes: Uint8Array;
  /** For people: why this is not all of the content, or none of it. */
  readonly fault?: string;
}

/**
 * Decodes a body. Throws if there is nothing of the content: it is broken at its beginning, in a coding that is not known, or
 * more than `maxBytes`.
 */
export function decodeBody(
  body: Uint8Array,
  contentEncoding: string | undefined,
  maxBytes: number,
): Uint8Array {
  return decodePart(body, contentEncoding, maxBytes).bytes;
}

/** As above, and says whether that is all. */
export function decodePart(
  body: Uint8Array,
  contentEncoding: string | undefined,
  maxBytes: number,
): DecodedBody {
  const { codings, unknown } = declaredCodings(contentEncoding);
  let bytes = body;
  let fault: string | undefined;
  for (const coding of codings) {
    const undone = undo(coding, bytes, maxBytes);
    bytes = undone.bytes;
    fault ??= undone.fault && `${coding}: ${undone.fault}`;
  }
  if (unknown !== undefined && !isItself(bytes)) throw cannotDecode(unknown);
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  if (fault !== undefined && bytes.length === 0) throw cannotDecode(fault);
  return { bytes, ...(fault !== undefined && { fault }) };
}

function undo(coding: Coding, body: Uint8Array, maxOutputLength: number): DecodedBody {
  if (body.length === 0) return { bytes: body };
  const decoded = decodeAtOnce(coding, body, maxOutputLength);
  if (decoded !== undefined) return { bytes: decoded };
  if (hasCoding(coding, body)) return decodeMembers(membersOf(coding, body), body, maxOutputLength);
  if (!isItself(body)) throw cannotDecode(`${coding}: ${NOT_CODED}`);
  return { bytes: body };
}

/** As `MemberDecoder` does. */
function decodeMembers(members: Members, body: Uint8Array, maxBytes: number): DecodedBody {
  const pieces: Uint8Array[] = [];
  let room = maxBytes;
  let at = 0;
  let isSound = true;
  let fault: string | undefined;
  for (let count = 0; at < body.length && fault === undefined; count++) {
    const head = members.headLength(body.subarray(at));
    if (typeof head !== 'number') {
      if (count === 0) fault = head === 'more' ? CUT : BAD_HEAD;
      else if (!isSound) fault = BAD_SUM;
      break;
    }
    if (count > maxMembers(body.length)) fault = TOO_MANY_MEMBERS;
    else {
      const { bytes, ...member } = decodeMember(members, body, at + head, { room, maxBytes });
      pieces.push(bytes);
      room -= bytes.length;
      fault = member.fault;
      at = member.end + members.tailLength;
      isSound = members.sum?.isRight(body.subarray(member.end, at), members.sum.of(bytes, undefined)) ?? true;
      if (!members.areSeveral) {
        if (!isSound && at < body.length) fault ??= BAD_SUM;
        break;
      }
    }
  }
  return { bytes: Buffer.concat(pieces), ...(fault !== undefined && { fault }) };
}

/** Decodes the data that begins at `start`. `end`: where it ends. */
function decodeMember(
  members: Members,
  body: Uint8Array,
  start: number,
  { room, maxBytes }: { readonly room: number; readonly maxBytes: number },
): DecodedBody & { readonly end: number } {
  const data = body.subarray(start);
  const maxOutputLength = Math.max(1, room);
  const decoded = (length: number, options: Pick<SyncOptions, 'isPart' | 'info'>) => {
    try {
      return members.decodeSync(data.subarray(0, length), { ...options, maxOutputLength });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
      return messageOf(error);
    }
  };
  const whole = decoded(data.length, { info: true });
  if (typeof whole !== 'string') {
    const { buffer, engine } = decodedMember(whole);
    if (buffer.length > room) throw tooLarge(maxBytes);
    return { bytes: buffer, end: start + engine.bytesWritten };
  }
  const isAll = whole === CUT && members.isFlushed(data);
  const all = decoded(data.length, { isPart: true });
  const bytes = typeof all === 'string' ? beforeBreak() : all;
  return { bytes, end: body.length, ...(!isAll && { fault: whole }) };

  /** Searches for the break: Node gives no content with a fault. */
  function beforeBreak(): Uint8Array {
    const step = salvagedPiece(body.length);
    let best: Uint8Array = new Uint8Array(0);
    let sound = Math.floor(start / step);
    let broken = Math.ceil(body.length / step);
    while (broken - sound > 1) {
      const middle = (sound + broken) >> 1;
      const part = decoded(middle * step - start, { isPart: true });
      if (typeof part === 'string') broken = middle;
      else {
        best = part;
        sound = middle;
      }
    }
    return best;
  }
}

const tooLarge = (maxBytes: number) => new Error(`The body has more than ${maxBytes} bytes when decoded`);
const cannotDecode = (why: string) => new Error(`The body cannot be decoded: ${why}`);
