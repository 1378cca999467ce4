import type { z } from 'zod';
import { unitAt } from '../../core/crawl/config.ts';
import { isSecretPath } from '../../core/crawl/secret-keys.ts';
import { describeIssues } from '../../core/text/describe-issues.ts';
import { keysAt } from '../../core/text/schema-keys.ts';
import { ControlError } from './control.ts';

/**
 * Returns `given` as parsed by the schema. Throws {@link ControlError}: the message describes the fault of each part,
 * and the field is the first faulty part, such as `config.delayMs`. `name`: the name of the whole in messages.
 */
export function checkRequest<S extends z.ZodObject>(schema: S, given: unknown, name: string): z.output<S> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const nameOf = (path: readonly PropertyKey[]) => (path.length === 0 ? name : path.join('.'));
  const issues = describeIssues(parsed.error, given, {
    name: nameOf,
    isSecret: isSecretPath,
    unit: unitAt,
    object: (path) => ({ name: nameOf(path), keys: keysAt(schema, path) }),
  });
  const field = issues[0]?.path.join('.');
  throw new ControlError(
    'invalid',
    issues.map(({ message }) => message).join('; '),
    field === '' ? undefined : field,
  );
}
