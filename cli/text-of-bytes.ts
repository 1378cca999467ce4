/** A file of text as its user has saved it: UTF-8, or UTF-16 with a byte order mark, as PowerShell writes by default. */
export function textOfBytes(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const encoding = !isUtf16 ? 'utf-8' : first === 0xff ? 'utf-16le' : 'utf-16be';
  return new TextDecoder(encoding).decode(bytes);
}
