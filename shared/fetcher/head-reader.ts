import type { Socket } from 'node:net';
import { KnownFailure } from './failure.ts';
import { isCleanHead, quoted, type RepairedHead, repairHead } from './repair-head.ts';

/** What stands between a socket and undici's parser while a response's header is due. */
export interface HeadReader {
  /**
   * Call it for each request when it is sent. `onHead` receives the fields of a header that had to be
   * repaired.
   */
  expect(onHead: (fields: RepairedHead['fields']) => void): void;
  /** Bytes of a response have come since the last request was sent. */
  readonly hasBegun: boolean;
}

const readers = new WeakMap<Socket, HeadReader>();
const SWITCHING_PROTOCOLS = 101;
const NAME = 'HTTP';
const NAME_WORD = Buffer.from(NAME).readUInt32BE();
const LONGEST_END = 4;
const NOTHING = Buffer.alloc(0);

/**
 * The reader of the socket. It holds back a response's header until it is whole, leaves out interim responses
 * (1xx, which a client must be able to read past: RFC 9110, section 15.2), and repairs what is no strict
 * HTTP. What cannot be repaired, or is longer than `maxHeaderBytes` in all, destroys the socket with a {@link
 * KnownFailure}. A header that is strict HTTP and comes in one piece is handed on as it is, without a copy.
 */
export function headReader(socket: Socket, maxHeaderBytes: number): HeadReader {
  const reader = readers.get(socket) ?? createHeadReader(socket, maxHeaderBytes);
  readers.set(socket, reader);
  return reader;
}

function createHeadReader(socket: Socket, maxHeaderBytes: number): HeadReader {
  const read = socket.read.bind(socket);
  let onHead: ((fields: RepairedHead['fields']) => void) | undefined;
  let held: Buffer = NOTHING;
  /** The first bytes of `held` that contain no end of a header. */
  let searched = 0;
  let interimBytes = 0;
  let hasBegun = false;

  function begin(callback: typeof onHead): void {
    onHead = callback;
    held = NOTHING;
    searched = 0;
    interimBytes = 0;
  }

  /** What the parser may have of the bytes held; undefined until the header is whole. */
  function take(): Buffer | undefined {
    while (held.length > 0) {
      const head = findHead(held, searched);
      const end = head?.text.length;
      if (interimBytes + (end ?? held.length) > maxHeaderBytes)
        throw new KnownFailure(
          'headersTooLarge',
          `the response's header is larger than ${maxHeaderBytes} bytes`,
        );
      searched = Math.max(0, held.length - LONGEST_END);
      if (head === undefined || end === undefined) return undefined;
      const { text, isClean } = head;
      const repaired = isClean ? undefined : repairHead(text);
      const status = repaired?.status ?? Number(text.slice(9, 12));
      if (status === SWITCHING_PROTOCOLS)
        throw new KnownFailure(
          'malformedResponse',
          'the server switched to another protocol, unasked (HTTP 101)',
        );
      const rest = held.subarray(end);
      if (status >= 200) {
        if (repaired === undefined) return held;
        onHead?.(repaired.fields);
        return Buffer.concat([repaired.bytes, rest]);
      }
      interimBytes += end;
      hold(rest);
    }
    return undefined;
  }

  function hold(bytes: Buffer): void {
    held = withoutEmptyLines(bytes);
    searched = 0;
    refuseOthers(held);
  }

  socket.read = (size?: number): unknown => {
    for (;;) {
      const chunk: unknown = read(size);
      if (onHead === undefined || !Buffer.isBuffer(chunk)) return chunk;
      hasBegun = true;
      try {
        if (held.length < NAME.length) hold(held.length === 0 ? chunk : Buffer.concat([held, chunk]));
        else held = appended(held, chunk);
        const ready = take();
        if (ready === undefined) continue;
        begin(undefined);
        return ready;
      } catch (error) {
        begin(undefined);
        socket.destroy(error as Error);
        return null;
      }
    }
  };

  return {
    get hasBegun() {
      return hasBegun;
    },
    expect(callback) {
      begin(callback);
      hasBegun = false;
    },
  };
}

/**
 * The bytes followed by more. Their memory doubles when it must grow, so that a header byte by byte costs no
 * more.
 */
function appended(bytes: Buffer, more: Buffer): Buffer {
  const size = bytes.length + more.length;
  const hasRoom = spare.has(bytes.buffer) && bytes.byteOffset + size <= bytes.buffer.byteLength;
  const memory = hasRoom ? bytes.buffer : new ArrayBuffer(Math.max(2 * size, 4096));
  const start = hasRoom ? bytes.byteOffset : 0;
  const all = Buffer.from(memory as ArrayBuffer, start, size);
  if (!hasRoom) {
    spare.add(memory);
    all.set(bytes);
  }
  all.set(more, bytes.length);
  return all;
}

/** Memory that `appended` allocated, and that only it writes to. */
const spare = new WeakSet<ArrayBufferLike>();

/** RFC 9112, section 2.2, asks this of servers; some servers send one too many after a body. */
function withoutEmptyLines(bytes: Buffer): Buffer {
  let at = 0;
  while (bytes[at] === 0x0d || bytes[at] === 0x0a) at++;
  return at === 0 ? bytes : bytes.subarray(at);
}

/**
 * Throws as soon as the first bytes are not those of HTTP. A server that waits for more input is not waited
 * for.
 */
function refuseOthers(bytes: Buffer): void {
  if (bytes.length >= NAME.length && bytes.readUInt32BE() === NAME_WORD) return;
  const begin = bytes.toString('latin1', 0, NAME.length).toUpperCase();
  if (NAME.startsWith(begin)) return;
  // A TLS alert or handshake record.
  if ((bytes[0] === 0x15 || bytes[0] === 0x16) && (bytes.length < 2 || bytes[1] === 0x03))
    throw new KnownFailure('tlsRequired', 'the server speaks TLS at this port; try https://');
  const text = bytes.toString('latin1', 0, 60);
  throw new KnownFailure('notHttp', `the answer is not HTTP: it begins with ${quoted(text)}`);
}

interface FoundHead {
  /** As Latin-1, with its empty line. */
  readonly text: string;
  /** {@link isCleanHead}. */
  readonly isClean: boolean;
}

/** The header, if it is whole. No empty line ends before `from`. */
function findHead(bytes: Buffer, from: number): FoundHead | undefined {
  const strict = bytes.indexOf('\r\n\r\n', from);
  if (strict >= 0) {
    const text = bytes.toString('latin1', 0, strict + LONGEST_END);
    // All of its lines end in CRLF: no other empty line stands before.
    if (isCleanHead(text)) return { text, isClean: true };
  }
  const end = endOfHead(strict < 0 ? bytes : bytes.subarray(0, strict + LONGEST_END), from);
  return end === undefined ? undefined : { text: bytes.toString('latin1', 0, end), isClean: false };
}

/** Where the header ends: behind the first empty line, whose line ends may be CRLF or LF. */
function endOfHead(bytes: Buffer, from: number): number | undefined {
  const ends = ['\n\n', '\n\r\n'].flatMap((end) => {
    const at = bytes.indexOf(end, from);
    return at < 0 ? [] : [at + end.length];
  });
  return ends.length === 0 ? undefined : Math.min(...ends);
}
