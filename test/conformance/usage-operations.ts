/** Statements of a site about the use of its content: in robots.txt, in a response, and in a page. */
import { createDocumentParser } from '../../shared/core/parser/document.ts';
import { parseRobots, productToken } from '../../shared/core/robots/parse-robots.ts';
import { isAllowed, usageAt } from '../../shared/core/robots/rules.ts';
import { combineUsage, type UsageStatement } from '../../shared/core/usage/usage-statement.ts';
import { bytesOf, type Operation, type Question, textOf } from './question.ts';

export const USAGE_OPERATIONS: Readonly<Record<string, Operation>> = {
  /** Statements of robots.txt for a path, of a response to it, and of its page. */
  async usage(question) {
    const statements = [...fromRobots(question), ...(await fromResponse(question))];
    return {
      preferences: combineUsage(statements),
      statements: statements.map(({ source, signal, value }) => `${source} ${signal}: ${value}`),
    };
  },
};

/** Paths that may not be crawled have no preferences (draft-ietf-aipref-attach, section 5). */
function fromRobots(question: Question): UsageStatement[] {
  if (question.robots === undefined && question.robots_b64 === undefined) return [];
  const agent = typeof question.agent === 'string' ? question.agent : 'ExampleBot';
  const path = textOf(question, 'path');
  const rules = parseRobots(bytesOf(question, 'robots'), productToken(agent));
  return isAllowed(rules, path).allowed ? usageAt(rules, path) : [];
}

async function fromResponse({ headers = [], html = '' }: Question): Promise<readonly UsageStatement[]> {
  const fields = headers as [string, string][];
  const parser = createDocumentParser({
    url: 'http://a.test/d/page',
    headers: [['content-type', 'text/html'], ...fields],
    maxDecodedBytes: 1e6,
    maxLinks: 100,
    robotName: 'examplebot',
  });
  parser.write(Buffer.from(String(html)));
  return (await parser.end()).usage ?? [];
}
