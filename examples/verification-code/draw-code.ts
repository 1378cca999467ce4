/** Draws digits as a picture: grey, with noise. */
import { crc32, deflateSync } from 'node:zlib';

/** Digits of 5 x 7 dots; a row has 5 bits. */
const DIGITS = [
  [14, 17, 17, 17, 17, 17, 14],
  [4, 12, 4, 4, 4, 4, 14],
  [14, 17, 1, 2, 4, 8, 31],
  [14, 17, 1, 6, 1, 17, 14],
  [2, 6, 10, 18, 31, 2, 2],
  [31, 16, 30, 1, 1, 17, 14],
  [6, 8, 16, 30, 17, 17, 14],
  [31, 1, 2, 4, 8, 8, 8],
  [14, 17, 17, 14, 17, 17, 14],
  [14, 17, 17, 15, 1, 2, 12],
];
/** Pixels of a dot. */
const SCALE = 6;
/** From one digit to the next. */
const PITCH = 7 * SCALE;
const MARGIN = 20;
/** Digits stand up to this many pixels lower. */
const MAX_DROP = 4;
/** How dark a place between dots is inked: less than half makes the strokes bold. */
const INKED = 0.35;

export interface CodePicture {
  /** The share of pixels that have a random brightness. */
  readonly noise?: number;
  readonly random?: () => number;
}

/** Returns a PNG. */
export function drawCode(code: string, { noise = 0.04, random = Math.random }: CodePicture = {}): Buffer {
  const width = 2 * MARGIN + code.length * PITCH - 2 * SCALE;
  const height = 2 * MARGIN + 7 * SCALE + MAX_DROP;
  const integer = (below: number) => Math.floor(random() * below);
  const pixels = Buffer.from(Uint8Array.from({ length: width * height }, () => 215 + integer(40)));
  for (const [place, digit] of [...code].entries()) {
    const left = MARGIN + place * PITCH;
    const top = MARGIN + integer(MAX_DROP + 1);
    for (let y = -SCALE; y < 8 * SCALE; y++)
      for (let x = -SCALE; x < 6 * SCALE; x++)
        if (inkAt(Number(digit), (x + 0.5) / SCALE - 0.5, (y + 0.5) / SCALE - 0.5) >= INKED)
          pixels[(top + y) * width + left + x] = 20 + integer(60);
  }
  for (let count = noise * pixels.length; count > 0; count--) pixels[integer(pixels.length)] = integer(256);
  return png(width, height, pixels);
}

/** Ink between the dots of a digit, from 0 to 1, by the four dots around the place: this makes its edges round. */
function inkAt(digit: number, x: number, y: number): number {
  const [column, row] = [Math.floor(x), Math.floor(y)];
  const [right, down] = [x - column, y - row];
  const dot = (dx: number, dy: number) => {
    const isInside = column + dx >= 0 && column + dx < 5;
    return isInside ? ((DIGITS[digit]?.[row + dy] ?? 0) >> (4 - column - dx)) & 1 : 0;
  };
  const upper = dot(0, 0) * (1 - right) + dot(1, 0) * right;
  const lower = dot(0, 1) * (1 - right) + dot(1, 1) * right;
  return upper * (1 - down) + lower * down;
}

/** PNG, version 3: grey, 8 bits a pixel, rows without a filter. */
function png(width: number, height: number, pixels: Buffer): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) pixels.copy(rows, y * (width + 1) + 1, y * width, (y + 1) * width);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
