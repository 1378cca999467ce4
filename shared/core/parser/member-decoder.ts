import type { BoundedOutput } from './bounded-output.ts';
import {
  BAD_HEAD,
  BAD_SUM,
  type Coding,
  CUT,
  type Members,
  maxMembers,
  membersOf,
  TOO_MANY_MEMBERS,
  UNCLOSED,
} from './content-codings.ts';

const NONE = new Uint8Array(0);
/** A head of gzip may name a file. */
const MAX_HEAD_BYTES = 128 * 1024;

/**
 * Decodes a body member by member as its pieces come. Whatever could be decoded before the body's end or a fault is put out.
 * Compressed pieces wait in memory for their turn, decoded ones never. `start`: the first bytes of the body, which are
 * written, too.
 */
export class MemberDecoder {
  readonly #members: Members;
  readonly #output: BoundedOutput;
  #stream: ReturnType<Members['createStream']> | undefined;
  /** Ends the waiting for a write: a stream that is closed does not answer. */
  #wake: (value?: unknown) => void = () => {};
  /** Bytes given to the stream. */
  #given = 0;
  /** The bytes of a head or tail that has not come as a whole. */
  #kept: Uint8Array = NONE;
  #lastBytes: Uint8Array = NONE;
  /** The stream of a member has ended, and its tail has not come as a whole. */
  #awaitsTail = false;
  /** The sum of the member's content. */
  #sum: number | undefined;
  /** The last tail had the right sum. */
  #isSound = true;
  #count = 0;
  #received = 0;
  #isOver = false;
  #fault: string | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(coding: Coding, start: Uint8Array, output: BoundedOutput) {
    this.#members = membersOf(coding, start);
    this.#output = output;
  }

  /** Keeps the bytes. */
  write(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#isOver) return;
    this.#work = this.#work.then(() => this.#take(bytes));
  }

  /** Returns the fault, if any, when everything is decoded. Never rejects. */
  async end(): Promise<string | undefined> {
    await this.#work;
    const stream = this.#stream;
    if (stream !== undefined) {
      await new Promise((resolve) => {
        this.#wake = resolve;
        stream.end();
      });
      if (this.#fault === CUT && this.#members.isFlushed(this.#lastBytes)) this.#fault = UNCLOSED;
    } else if (this.#count === 0) this.#fault ??= CUT;
    return this.#output.isFull() ? undefined : this.#fault;
  }

  async #take(bytes: Uint8Array): Promise<void> {
    this.#received += bytes.length;
    let left: Uint8Array = bytes;
    while (left.length > 0 && !this.#isOver) left = await this.#step(left);
  }

  /** Takes some of the bytes, and returns the others. */
  async #step(bytes: Uint8Array): Promise<Uint8Array> {
    if (this.#stream !== undefined) return this.#decode(this.#stream, bytes);
    const { tailLength, areSeveral, sum } = this.#members;
    const all = this.#kept.length === 0 ? bytes : Buffer.concat([this.#kept, bytes]);
    this.#kept = NONE;
    if (this.#awaitsTail) {
      if (all.length < tailLength) return this.#keep(all);
      this.#awaitsTail = false;
      const tail = all.subarray(0, tailLength);
      this.#isSound = sum?.isRight(tail, this.#sum ?? sum.of(NONE, undefined)) ?? true;
      return all.subarray(tailLength);
    }
    const head = areSeveral || this.#count === 0 ? this.#members.headLength(all) : undefined;
    if (head === 'more' && all.length < MAX_HEAD_BYTES) return this.#keep(all);
    // Bytes behind the last member: the output of a script behind its compressed page.
    if (typeof head !== 'number')
      return this.#finish(this.#count === 0 ? BAD_HEAD : this.#isSound ? undefined : BAD_SUM);
    if (this.#count++ > maxMembers(this.#received)) return this.#finish(TOO_MANY_MEMBERS);
    this.#open();
    return all.subarray(head);
  }

  #keep(bytes: Uint8Array): Uint8Array {
    this.#kept = bytes;
    return NONE;
  }

  #finish(fault?: string): Uint8Array {
    this.#fault ??= fault;
    this.#isOver = true;
    return NONE;
  }

  #open(): void {
    const { sum } = this.#members;
    const stream = this.#members.createStream();
    this.#sum = undefined;
    stream.on('data', (chunk: Uint8Array) => {
      this.#sum = sum?.of(chunk, this.#sum);
      this.#output.write(chunk);
      if (!this.#output.isFull()) return;
      this.#isOver = true;
      stream.destroy();
    });
    stream.on('error', (error) => {
      this.#fault = error.message;
      this.#isOver = true;
    });
    stream.on('close', () => {
      if (this.#stream === stream) this.#wake();
    });
    this.#stream = stream;
    this.#given = 0;
  }

  async #decode(stream: ReturnType<Members['createStream']>, bytes: Uint8Array): Promise<Uint8Array> {
    this.#given += bytes.length;
    this.#lastBytes = Buffer.concat([this.#lastBytes, bytes.subarray(-4)]).subarray(-4);
    await new Promise((resolve) => {
      this.#wake = resolve;
      stream.write(bytes, resolve);
    });
    if (this.#isOver) {
      this.#stream = undefined;
      return NONE;
    }
    const rest = this.#given - stream.bytesWritten;
    if (rest === 0) return NONE;
    stream.destroy();
    this.#stream = undefined;
    this.#awaitsTail = this.#members.tailLength > 0;
    return bytes.subarray(bytes.length - rest);
  }
}
