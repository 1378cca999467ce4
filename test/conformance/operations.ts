/** The operations of the conformance cases (`cases/README.md`), answered by the modules that crawl. */
import { messageOf } from '../../shared/core/base/error-message.ts';
import { DOCUMENT_OPERATIONS } from './document-operations.ts';
import { HTML_OPERATIONS } from './html-operations.ts';
import { NETWORK_OPERATIONS } from './network-operations.ts';
import type { Answer, Operation, Question } from './question.ts';
import { ROBOTS_OPERATIONS } from './robots-operations.ts';
import { URL_OPERATIONS } from './url-operations.ts';
import { USAGE_OPERATIONS } from './usage-operations.ts';

const OPERATIONS: Readonly<Record<string, Operation>> = {
  ...ROBOTS_OPERATIONS,
  ...URL_OPERATIONS,
  ...HTML_OPERATIONS,
  ...DOCUMENT_OPERATIONS,
  ...NETWORK_OPERATIONS,
  ...USAGE_OPERATIONS,
};

/**
 * Never rejects: an operation that we do not offer, or inputs that are none, are answered with an `error`.
 */
export async function answerTo(question: Question): Promise<Answer> {
  const { op } = question;
  if (typeof op !== 'string' || !Object.hasOwn(OPERATIONS, op)) return { error: 'unsupported' };
  try {
    return await OPERATIONS[op]!(question);
  } catch (error) {
    return { error: messageOf(error) };
  }
}
