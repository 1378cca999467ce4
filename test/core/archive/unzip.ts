import { inflateRawSync } from 'node:zlib';

interface Entry {
  readonly isStored: boolean;
  readonly bytes: Buffer;
}

/** The entries of a ZIP file by its central directory (APPNOTE 4.3.12), in its order. */
export function unzip(file: Buffer): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  const end = file.lastIndexOf(Buffer.from('PK\x05\x06'));
  let at = file.readUInt32LE(end + 16);
  for (let left = file.readUInt16LE(end + 10); left > 0; left--) {
    const isStored = file.readUInt16LE(at + 10) === 0;
    const size = file.readUInt32LE(at + 20);
    const [name, extra, comment] = [28, 30, 32].map((field) => file.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const local = file.readUInt32LE(at + 42);
    const start = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
    const bytes = file.subarray(start, start + size);
    entries.set(file.toString('utf8', at + 46, at + 46 + name), {
      isStored,
      bytes: isStored ? bytes : inflateRawSync(bytes),
    });
    at += 46 + name + extra + comment;
  }
  return entries;
}
