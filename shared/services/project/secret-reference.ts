/** Names of secrets: `env:NAME`, `file:PATH`, `aws:ssm/NAME`, `aws:secrets/NAME`. */

const KINDS = ['env:', 'file:', 'aws:ssm/', 'aws:secrets/'] as const;

export const isReference = (text: unknown): text is string =>
  typeof text === 'string' && KINDS.some((kind) => text.startsWith(kind) && text.length > kind.length);

/** The parameter of the Systems Manager that a reference stands for; undefined for references of other kinds. */
export function parameterOf(reference: string): string | undefined {
  if (reference.startsWith('aws:secrets/'))
    return `/aws/reference/secretsmanager/${reference.slice('aws:secrets/'.length)}`;
  if (!reference.startsWith('aws:ssm/')) return undefined;
  const name = reference.slice('aws:ssm/'.length);
  return name.includes('/') && !name.startsWith('/') ? `/${name}` : name;
}
