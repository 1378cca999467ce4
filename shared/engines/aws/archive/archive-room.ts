import { createLimit } from '../../../core/base/create-limit.ts';
import { SIZES } from '../../../core/base/sizes.ts';

/** Objects' worth of bytes that may be in memory. */
const MAX_OBJECTS = 4;
/** Large appends at once: each holds up to two parts of an upload. */
const MAX_UPLOADS = 4;

/** The memory of a process for records that are not stored yet: all its archives share it. */
export interface ArchiveRoom {
  /** Bytes that all archives hold. */
  usedBytes: number;
  readonly maxBytes: number;
  /** Archives that hold any. */
  holders: number;
  /** Runs an append of a record above the per-record limit, at most four at a time. */
  readonly inTurn: <T>(append: () => Promise<T>) => Promise<T>;
}

/** The memory for archives whose objects have up to `objectBytes`. */
export const roomFor = (objectBytes: number = SIZES.warcObjectBytes): ArchiveRoom => ({
  usedBytes: 0,
  maxBytes: MAX_OBJECTS * objectBytes,
  holders: 0,
  inTurn: createLimit(MAX_UPLOADS),
});

/** The memory that one archive has taken. */
export class ArchiveShare {
  readonly #room: ArchiveRoom;
  #bytes = 0;

  constructor(room: ArchiveRoom) {
    this.#room = room;
  }

  add(bytes: number): void {
    if (this.#bytes === 0 && bytes > 0) this.#room.holders++;
    this.#bytes += bytes;
    this.#room.usedBytes += bytes;
  }

  remove(bytes: number): void {
    this.#bytes -= bytes;
    this.#room.usedBytes -= bytes;
    if (this.#bytes === 0 && bytes > 0) this.#room.holders--;
  }

  get isRoomFull(): boolean {
    return this.#room.usedBytes >= this.#room.maxBytes;
  }

  /** The size at which an object is stored, so that all archives together leave half of the room to those that are being stored. */
  get objectBytes(): number {
    return this.#room.maxBytes / (2 * Math.max(1, this.#room.holders));
  }
}
