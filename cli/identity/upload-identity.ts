/** `strand --stack NAME identity upload FILE`: the identity by which a stack signs its requests. */
import type { StackConnection } from '../../api/stack/connect-stack.ts';
import { checkKeys, keyAt } from '../../shared/core/identity/identity.ts';
import { InvalidIdentity } from '../../shared/core/identity/invalid-identity.ts';
import { documentOf } from '../../shared/core/identity/rotate-keys.ts';
import { readIdentityFile } from '../../shared/engines/local/identity-file.ts';
import { UsageError } from '../usage-error.ts';
import { ownIdentityFile } from './own-file.ts';

export interface UploadedIdentity {
  readonly parameter: string;
  readonly agent: string;
  /** The key that signs now. */
  readonly keyid: string | undefined;
}

/** Stores what the file holds in the stack's parameter. Throws {@link UsageError} if it cannot be used. */
export async function uploadIdentity(
  { putIdentity }: Pick<StackConnection, 'putIdentity'>,
  file = ownIdentityFile(process.env),
): Promise<UploadedIdentity> {
  const now = Date.now();
  const identity = readIdentityFile(file);
  try {
    checkKeys(identity, now, file);
  } catch (error) {
    if (error instanceof InvalidIdentity) throw new UsageError(error.message, { cause: error });
    throw error;
  }
  const parameter = await putIdentity(documentOf(identity, now));
  return { parameter, agent: identity.agent, keyid: keyAt(identity.keys, now)?.keyid };
}

export const uploadedText = ({ parameter, agent, keyid }: UploadedIdentity): string =>
  `The stack signs its requests as ${agent}, by the key ${keyid}, within an hour: ${parameter} has it.\n` +
  'Publish its directory (strand identity publish), and upload the file again after each identity rotate.';
