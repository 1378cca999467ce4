/** The verdict on a mutant: the stage that noticed it, if any did. */

/**
 * The stages that can notice a mutant. `check`: the linter or the compiler refuses it, so it can never be
 * landed.
 */
export type Stage = 'check' | 'unit' | 'contract' | 'simulation';

export type Verdict =
  | { readonly kind: 'killed'; readonly stage: Stage; readonly by: string; readonly why: string }
  /** Something waits forever: noticed too, but by a time limit of the test or of this command. */
  | { readonly kind: 'hung'; readonly stage: Stage; readonly by: string; readonly why: string }
  | { readonly kind: 'survived'; readonly testFiles: number; readonly worlds: number };

export const stageOf = (file: string): Stage => (file.startsWith('test/contract/') ? 'contract' : 'unit');
