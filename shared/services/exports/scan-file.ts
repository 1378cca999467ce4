import { cdxjLine, scanCaptures } from '../../core/archive/cdxj.ts';
import { NotWarc } from '../../core/archive/read-warc.ts';
import type { ReadAt } from '../../core/archive/scan-members.ts';

interface ScanOutput {
  readonly add: (line: string) => Promise<void> | undefined;
  readonly warn: (message: string) => void;
}

/** Adds the lines of the captures of a file that has no index. Of a damaged file, those before the damage. */
export async function scanFile(file: string, read: ReadAt, { add, warn }: ScanOutput): Promise<void> {
  try {
    for await (const capture of scanCaptures(read)) await add(cdxjLine(capture, file));
  } catch (error) {
    if (!(error instanceof NotWarc)) throw error;
    warn(damageText(file, error));
  }
}

export const damageText = (file: string, { message }: NotWarc): string =>
  `WARC file ${file} is damaged, and exported up to there: ${message}. "strand warc check" finds all of its damage`;
