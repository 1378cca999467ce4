import { test } from 'vitest';

/** The capabilities that an engine may lack. */
export type Capability =
  /** Open with a lease of some tens of milliseconds. */
  | 'shortLease'
  /** Parking for some tens of milliseconds. */
  | 'shortPark'
  /** Read what was archived. */
  | 'readRecord'
  /** Know payloads after an abrupt end. */
  | 'keepPayloads'
  /** Be found again after an abrupt end. */
  | 'reopen';

/** By what an engine lacks: why. */
export type Lacks = Readonly<Partial<Record<Capability, string>>>;

/** A test that an engine which lacks the capability skips, saying why. */
export function testIf(
  subject: { lacks(capability: Capability): string | undefined },
  capability: Capability,
  name: string,
  body: () => Promise<void>,
): void {
  const reason = subject.lacks(capability);
  if (reason === undefined) test(name, body);
  else test.skip(`${name} (${reason})`);
}
