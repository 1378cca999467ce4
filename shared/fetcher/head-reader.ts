import type { Socket } from 'node:net';
import { KnownFailure } from './failure.ts';
import { isCleanHead, quoted, type RepairedHead, repairHead } from './repair-head.ts';

/** A reader between a socket and undici's parser while a response's header is due. */
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
  const reader = readers.get(socket) ?? new SocketHeads(socket, maxHeaderBytes);
  readers.set(socket, reader);
  return reader;
}

class SocketHeads implements HeadReader {
  readonly #socket: Socket;
  readonly #readSocket: Socket['read'];
  readonly #maxHeaderBytes: number;
  #onHead: ((fields: RepairedHead['fields']) => void) | undefined;
  #held: Buffer = NOTHING;
  /** The first bytes of `held` that contain no end of a header. */
  #searched = 0;
  #interimBytes = 0;
  #hasBegun = false;

  constructor(socket: Socket, maxHeaderBytes: number) {
    this.#socket = socket;
    this.#readSocket = socket.read.bind(socket);
    this.#maxHeaderBytes = maxHeaderBytes;
    socket.read = (size?: number): unknown => this.#read(size);
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  expect(onHead: (fields: RepairedHead['fields']) => void): void {
    this.#begin(onHead);
    this.#hasBegun = false;
  }

  #begin(onHead: ((fields: RepairedHead['fields']) => void) | undefined): void {
    this.#onHead = onHead;
    this.#held = NOTHING;
    this.#searched = 0;
    this.#interimBytes = 0;
  }

  /** Stands for the socket's `read`, from which undici takes what it parses. */
  #read(size?: number): unknown {
    for (;;) {
      const chunk: unknown = this.#readSocket(size);
      if (this.#onHead === undefined || !Buffer.isBuffer(chunk)) return chunk;
      this.#hasBegun = true;
      try {
        this.#add(chunk);
        const ready = this.#take();
        if (ready === undefined) continue;
        this.#begin(undefined);
        return ready;
      } catch (error) {
        this.#begin(undefined);
        this.#socket.destroy(error as Error);
        return null;
      }
    }
  }

  #add(chunk: Buffer): void {
    const held = this.#held;
    if (held.length < NAME.length) this.#hold(held.length === 0 ? chunk : Buffer.concat([held, chunk]));
    else this.#held = appended(held, chunk);
  }

  #hold(bytes: Buffer): void {
    this.#held = withoutEmptyLines(bytes);
    this.#searched = 0;
    refuseOthers(this.#held);
  }

  /** Returns the bytes held that the parser may have; undefined until the header is whole. */
  #take(): Buffer | undefined {
    while (this.#held.length > 0) {
      const held = this.#held;
      const head = findHead(held, this.#searched);
      const end = head?.text.length;
      this.#checkSize(end ?? held.length);
      this.#searched = Math.max(0, held.length - LONGEST_END);
      if (head === undefined || end === undefined) return undefined;
      const repaired = head.isClean ? undefined : repairHead(head.text);
      const status = repaired?.status ?? Number(head.text.slice(9, 12));
      if (status === SWITCHING_PROTOCOLS)
        throw new KnownFailure(
          'malformedResponse',
          'the server switched to another protocol, unasked (HTTP 101)',
        );
      const rest = held.subarray(end);
      if (status >= 200) {
        if (repaired === undefined) return held;
        this.#onHead?.(repaired.fields);
        return Buffer.concat([repaired.bytes, rest]);
      }
      this.#interimBytes += end;
      this.#hold(rest);
    }
    return undefined;
  }

  #checkSize(headBytes: number): void {
    if (this.#interimBytes + headBytes <= this.#maxHeaderBytes) return;
    throw new KnownFailure(
      'headersTooLarge',
      `the response's header is larger than ${this.#maxHeaderBytes} bytes`,
    );
  }
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
