import { createInterface } from 'node:readline/promises';
import { UsageError } from './usage-error.ts';

/** A deletion that the user must confirm. */
export interface Confirmation {
  /** The thing that is deleted, for a sentence: `news, 12 pages`. Printable. */
  readonly what: string;
  /** The word that the user must type. */
  readonly word: string;
  /** The command that needs no confirmation. */
  readonly command: string;
}

/** Whether the user types the word. Throws {@link UsageError} if nobody can be asked. */
export async function isConfirmed({ what, word, command }: Confirmation): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError(`This deletes ${what}. Without a terminal, confirm it with: ${command}`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`This deletes ${what}. Type ${word} to confirm: `);
  terminal.close();
  return answer.trim() === word;
}
