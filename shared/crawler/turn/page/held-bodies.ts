import type { Body } from '../../../core/outcome/body.ts';
import type { FetchOutcome } from '../../../core/outcome/fetch-outcome.ts';

/**
 * The bodies of a turn's responses that nobody has disposed of yet. Each holds memory of the process or a file descriptor: what
 * a turn that fails leaves of them would be missing for as long as the process lives.
 */
export class HeldBodies {
  readonly #held = new Set<Body>();

  /** Returns the outcome, whose body is held until it is disposed of. */
  hold(outcome: FetchOutcome): FetchOutcome {
    if (outcome.status !== 'response') return outcome;
    const { body } = outcome;
    const held: Body = {
      size: body.size,
      sha1: body.sha1,
      bytes: () => body.bytes(),
      chunks: () => body.chunks(),
      dispose: () => {
        this.#held.delete(held);
        return body.dispose();
      },
    };
    this.#held.add(held);
    return { ...outcome, body: held };
  }

  /** At the turn's end: disposes of those that are left. Never rejects: a turn that has failed says why itself. */
  async release(): Promise<void> {
    await Promise.allSettled([...this.#held].map((body) => body.dispose()));
  }
}
