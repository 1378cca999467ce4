import { quoted } from './printable.ts';

/**
 * The grammar of each name that is read from stored state and then used as a file, folder or key: a crawl folder, a table,
 * a bucket or an archive may have been made by somebody else. `docs/threat-model.md` has the table of all names.
 */

/** A stored name that Strand never writes. The state was forged, or is damaged. */
export class BadStoredName extends Error {
  override name = 'BadStoredName';
}

/** As `newPartId` and `partsOfRun` make them: `s12-k3j9x`, `r12-k3j9x.keys`, `robots12-k3j9x`. */
const PART = /^[a-z]{1,16}\d{1,16}-[0-9a-z]{1,16}(?:\.[a-z]{1,16})?$/;
const PART_FOLDER = /^[0-9a-f]{24}$/;

/** Names of WARC files of this machine and of a stack, joined ones too. Portable: ASCII, no separator, no leading dot. */
const WARC = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,180}\.warc\.gz$/;

/** Names that Strand makes and a user does not choose by chance: the time, then a number or random characters. */
const OWN_WARC = /-\d{14}-[0-9a-z]{1,32}(?:-\d{1,10})?\.warc\.gz$/;

/** Windows opens a device by these names, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

export const isPartName = (name: string): boolean => PART.test(name);

/** The folder of a host's large parts: a hash. */
export const isPartFolder = (name: string): boolean => PART_FOLDER.test(name);

export const isWarcName = (name: string): boolean => WARC.test(name) && !DEVICE.test(name);

/** Whether Strand itself gives such names, here or on a stack. */
export const isOwnWarcName = (name: string): boolean => isWarcName(name) && OWN_WARC.test(name);

/** Returns the name of a ledger's part. Throws {@link BadStoredName}. */
export const partName = (name: string): string => checked(name, isPartName, 'the part of a ledger');

/** Returns the name of a WARC file, without folder. Throws {@link BadStoredName}. */
export const warcName = (name: string): string => checked(name, isWarcName, 'a WARC file');

function checked(name: string, isGood: (name: string) => boolean, what: string): string {
  if (typeof name === 'string' && isGood(name)) return name;
  throw new BadStoredName(
    `Expected the name of ${what} that Strand has written, got ${quoted(String(name))}: what is stored there is damaged or was forged, and is not used`,
  );
}
