/** A refusal, as a result: one sentence, a code, and what to do. No text of a page is in it. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
