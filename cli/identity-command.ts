/** The command `identity`: keys that sign requests, and what is published about them. */
import { quoted } from '../shared/core/text/printable.ts';
import { IDENTITY_ACTIONS, type IdentityAction, type LocalCommandOf } from './command.ts';
import { optionsOf } from './options.ts';
import type { ParsedOptions } from './read-options.ts';
import { configOf, isSet, textOf, wrongWords } from './read-words.ts';
import { UsageError } from './usage-error.ts';

const ABOUT_CRAWLER = ['contact', 'user-agent', 'purpose', 'delay', 'config', 'why', 'out'];

/** The options that each action takes. */
const TAKES: Readonly<Record<IdentityAction, readonly string[]>> = {
  create: ['agent', 'days', 'json'],
  rotate: ['days', 'at-once', 'json'],
  publish: [...ABOUT_CRAWLER, 'json'],
  page: ABOUT_CRAWLER,
};

const DEFAULT_DAYS = 365;

export function identityCommand(
  given: ParsedOptions,
  { config, json }: Pick<LocalCommandOf<'identity'>, 'config' | 'json'>,
): LocalCommandOf<'identity'> {
  const { words, values } = given;
  const [word, file, ...others] = words;
  const action = IDENTITY_ACTIONS.find((known) => known === word);
  if (action === undefined || file === '' || others.length > 0)
    throw wrongWords('identity', words, [`${IDENTITY_ACTIONS.join('|')} [FILE]`]);
  const stray = optionsOf('identity').find(({ name }) => values.has(name) && !TAKES[action].includes(name));
  if (stray !== undefined)
    throw new UsageError(
      `identity ${action} takes no --${stray.name}; it takes ${TAKES[action].map((name) => `--${name}`).join(', ')}`,
    );
  const agent = textOf(given, 'agent');
  if (action === 'create' && agent === undefined)
    throw new UsageError(
      'Expected --agent URL with identity create: the https origin where you will publish the public keys, such as ' +
        'https://crawler.example.org',
    );
  const about = textOf(given, 'why');
  if (about !== undefined && about.length > 2000)
    throw new UsageError(
      `Expected --why TEXT of at most 2000 characters, got ${quoted(`${about.slice(0, 40)}...`)}`,
    );
  return {
    verb: 'identity',
    action,
    ...(file !== undefined && { file }),
    agent,
    days: (values.get('days') as number | undefined) ?? DEFAULT_DAYS,
    atOnce: isSet(given, 'at-once'),
    out: textOf(given, 'out'),
    about,
    config,
    options: configOf(given),
    json,
  };
}
