import type { z } from 'zod';
import { crawlConfigSchema } from '../crawl/config.ts';
import { ControlError } from './control.ts';
import { describeIssues } from './describe-issues.ts';

/**
 * What `given` is by the schema. Throws {@link ControlError}: the message tells what is wrong with each part, and the
 * field is the first part at fault, such as `config.delayMs`. `name`: what the whole is called.
 */
export function checkRequest<S extends z.ZodObject>(schema: S, given: unknown, name: string): z.output<S> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issues = describeIssues(parsed.error, given, {
    name: (path) => (path.length === 0 ? name : path.join('.')),
    object: ([part]) =>
      part === 'config'
        ? { name: 'config', keys: Object.keys(crawlConfigSchema.shape) }
        : { name, keys: Object.keys(schema.shape) },
  });
  const field = issues[0]?.path.join('.');
  throw new ControlError(
    'invalid',
    issues.map(({ message }) => message).join('; '),
    field === '' ? undefined : field,
  );
}
