import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** All files below the folder, those with gzip also without it. */
export function textsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    if (!entry.isFile()) return [];
    const bytes = readFileSync(join(entry.parentPath, entry.name));
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return [bytes.toString('latin1'), ...(isGzip ? [gunzipSync(bytes).toString('latin1')] : [])];
  });
}

/** How many of the secrets stand in a file below the folder. */
export function countSecrets(folder: string, secrets: ReadonlySet<string>): number {
  const texts = textsIn(folder);
  return [...secrets].filter((secret) => texts.some((text) => text.includes(secret))).length;
}
