import type { Socket } from 'node:net';
import { ChunkReader } from './chunk-reader.ts';
import { KnownFailure } from './failure.ts';
import { cleanFraming, quoted, type RepairedHead, repairHead } from './repair-head.ts';

/** A request that a response is due for. */
interface ExpectedResponse {
  /** Responses to HEAD have no body, whatever they say. */
  readonly method: string;
  /** Receives a header that had to be repaired. */
  readonly onRepaired: (head: RepairedHead) => void;
}

/** A reader between a socket and undici's parser, for the header of a response and the chunks of its body. */
export interface ResponseReader {
  /** Call it for each request when it is sent. */
  expect(response: ExpectedResponse): void;
  /** Bytes of a response have come since the last request was sent. */
  readonly hasBegun: boolean;
  /** All data of a chunked body has come. */
  readonly hasLastChunk: boolean;
  /** The response was not strict HTTP, so the start of the next one is uncertain. */
  readonly isLastOfConnection: boolean;
}

const readers = new WeakMap<Socket, ResponseReader>();
/** Chromium skips as many bytes before a response (`kSlop`, for servers that send a few too many). */
const MAX_JUNK_BYTES = 4;
const SWITCHING_PROTOCOLS = 101;
const NAME = 'HTTP';
const NAME_WORD = Buffer.from(NAME).readUInt32BE();
/** Responses without a body, whatever they say: RFC 9112, section 6.3. */
const BODILESS = new Set([204, 304]);
const LONGEST_END = 4;
const NOTHING = Buffer.alloc(0);

/**
 * The reader of the socket. It holds back a response's header until it is whole, leaves out interim responses (1xx,
 * which a client must be able to read past: RFC 9110, section 15.2), and repairs deviations from strict HTTP, in chunks
 * too. A header that cannot be repaired, or is longer than `maxHeaderBytes` in all, destroys the socket with a {@link
 * KnownFailure}. Strict HTTP with a header in one piece is handed on as it is, without a copy.
 */
export function responseReader(socket: Socket, maxHeaderBytes: number): ResponseReader {
  const reader = readers.get(socket) ?? new SocketResponses(socket, maxHeaderBytes);
  readers.set(socket, reader);
  return reader;
}

class SocketResponses implements ResponseReader {
  readonly #socket: Socket;
  readonly #readSocket: Socket['read'];
  readonly #maxHeaderBytes: number;
  /** Undefined when its header has come. */
  #expected: ExpectedResponse | undefined;
  #isFirst = true;
  #chunks: ChunkReader | undefined;
  #held: Buffer = NOTHING;
  /** It begins with the name of the protocol. */
  #hasName = false;
  /** The first bytes of `held` that contain no end of a header. */
  #searched = 0;
  #interimBytes = 0;
  #hasBegun = false;
  #hasJunk = false;

  constructor(socket: Socket, maxHeaderBytes: number) {
    this.#socket = socket;
    this.#readSocket = socket.read.bind(socket);
    this.#maxHeaderBytes = maxHeaderBytes;
    socket.read = (size?: number): unknown => this.#read(size);
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get hasLastChunk(): boolean {
    return this.#chunks?.hasLastChunk === true;
  }

  get isLastOfConnection(): boolean {
    return this.#hasJunk || this.#chunks?.isStrict === false;
  }

  expect(response: ExpectedResponse): void {
    this.#begin(response);
    this.#hasBegun = false;
    this.#chunks = undefined;
  }

  #begin(response: ExpectedResponse | undefined): void {
    this.#expected = response;
    this.#held = NOTHING;
    this.#hasName = false;
    this.#searched = 0;
    this.#interimBytes = 0;
  }

  /** Stands for the socket's `read`, from which undici takes what it parses. */
  #read(size?: number): unknown {
    for (;;) {
      if (this.#chunks?.fault !== undefined) return this.#end(this.#chunks.fault);
      const bytes: unknown = this.#readSocket(size);
      if (!Buffer.isBuffer(bytes)) return bytes;
      try {
        const ready = this.#expected === undefined ? this.#readBody(bytes) : this.#readHead(bytes);
        if (ready.length > 0) return ready;
      } catch (error) {
        return this.#end(error);
      }
    }
  }

  #end(error: unknown): null {
    this.#begin(undefined);
    this.#socket.destroy(error as Error);
    return null;
  }

  #readBody(bytes: Buffer): Buffer {
    return this.#chunks === undefined ? bytes : this.#chunks.read(bytes);
  }

  #readHead(bytes: Buffer): Buffer {
    this.#hasBegun = true;
    this.#add(bytes);
    const ready = this.#take();
    if (ready === undefined) return NOTHING;
    this.#isFirst = false;
    this.#begin(undefined);
    return ready;
  }

  #add(chunk: Buffer): void {
    const held = this.#held;
    if (!this.#hasName) this.#hold(held.length === 0 ? chunk : Buffer.concat([held, chunk]));
    else this.#held = appended(held, chunk);
  }

  #hold(bytes: Buffer): void {
    this.#held = withoutEmptyLines(bytes);
    this.#searched = 0;
    // On a kept connection they may be the end of the response before.
    const junk = junkBefore(this.#held, this.#isFirst ? MAX_JUNK_BYTES : 0);
    this.#hasName = junk !== undefined;
    if (!junk) return;
    this.#held = this.#held.subarray(junk);
    this.#hasJunk = true;
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
      const repaired = head.framing === undefined ? repairHead(head.text) : undefined;
      const status = repaired?.status ?? Number(head.text.slice(9, 12));
      if (status === SWITCHING_PROTOCOLS)
        throw new KnownFailure(
          'malformedResponse',
          'the server switched to another protocol, unasked (HTTP 101)',
        );
      if (status >= 200) return this.#handOn(status, end, (repaired ?? head.framing)!.isChunked, repaired);
      this.#interimBytes += end;
      this.#hold(held.subarray(end));
    }
    return undefined;
  }

  /** Returns the header, which ends at `end` of the bytes held, with what of the body has come. */
  #handOn(status: number, end: number, isChunked: boolean, repaired: RepairedHead | undefined): Buffer {
    const held = this.#held;
    const { method, onRepaired } = this.#expected as ExpectedResponse;
    if (isChunked && method !== 'HEAD' && !BODILESS.has(status))
      this.#chunks = new ChunkReader(this.#maxHeaderBytes);
    const rest = held.subarray(end);
    const body = this.#readBody(rest);
    if (repaired === undefined && body === rest) return held;
    if (repaired) onRepaired(repaired);
    return Buffer.concat([repaired?.bytes ?? held.subarray(0, end), body]);
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

/** RFC 9112, section 2.2, requires this of servers; some servers send one too many after a body. */
function withoutEmptyLines(bytes: Buffer): Buffer {
  let at = 0;
  while (bytes[at] === 0x0d || bytes[at] === 0x0a) at++;
  return at === 0 ? bytes : bytes.subarray(at);
}

/**
 * Returns how many bytes stand before those of HTTP; undefined while that is open. Throws as soon as they are more than
 * `most`. A server that waits for more input is not waited for.
 */
function junkBefore(bytes: Buffer, most: number): number | undefined {
  if (bytes.length >= NAME.length && bytes.readUInt32BE() === NAME_WORD) return 0;
  // A TLS alert or handshake record.
  if ((bytes[0] === 0x15 || bytes[0] === 0x16) && (bytes.length < 2 || bytes[1] === 0x03))
    throw new KnownFailure('tlsRequired', 'the server speaks TLS at this port; try https://');
  const begin = bytes.toString('latin1', 0, MAX_JUNK_BYTES + NAME.length).toUpperCase();
  for (let junk = 0; junk <= most; junk++) {
    const name = begin.slice(junk, junk + NAME.length);
    if (NAME.startsWith(name)) return name === NAME ? junk : undefined;
  }
  // The settings with which a server of HTTP/2 begins (RFC 9113, section 6.5).
  if (bytes[0] === 0 && bytes[1] === 0 && bytes[3] === 0x04)
    throw new KnownFailure('http2Only', 'the server speaks HTTP/2 at this port, and Strand speaks HTTP/1.1');
  const text = bytes.toString('latin1', 0, 60);
  throw new KnownFailure('notHttp', `the answer is not HTTP: it begins with ${quoted(text)}`);
}

interface FoundHead {
  /** As Latin-1, with its empty line. */
  readonly text: string;
  /** {@link cleanFraming}: undefined if it must be repaired. */
  readonly framing?: ReturnType<typeof cleanFraming>;
}

/** The header, if it is whole. No empty line ends before `from`. */
function findHead(bytes: Buffer, from: number): FoundHead | undefined {
  const strict = bytes.indexOf('\r\n\r\n', from);
  if (strict >= 0) {
    const text = bytes.toString('latin1', 0, strict + LONGEST_END);
    // All of its lines end in CRLF: no other empty line stands before.
    const framing = cleanFraming(text);
    if (framing !== undefined) return { text, framing };
  }
  const end = endOfHead(strict < 0 ? bytes : bytes.subarray(0, strict + LONGEST_END), from);
  return end === undefined ? undefined : { text: bytes.toString('latin1', 0, end) };
}

/** Where the header ends: behind the first empty line, whose line ends may be CRLF or LF. */
function endOfHead(bytes: Buffer, from: number): number | undefined {
  const ends = ['\n\n', '\n\r\n'].flatMap((end) => {
    const at = bytes.indexOf(end, from);
    return at < 0 ? [] : [at + end.length];
  });
  return ends.length === 0 ? undefined : Math.min(...ends);
}
