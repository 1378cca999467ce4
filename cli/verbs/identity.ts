import { quoted } from '../../shared/core/text/printable.ts';
import { exitCodes } from '../exit-codes.ts';
import { configOf, type Given, isSet, numberOf, textOf, wrongWords } from '../given.ts';
import { ACTIONS, type IdentityAction, type IdentityAsked } from '../identity/asked.ts';
import { CONFIG_OPTION, here, JSON_OPTION } from '../option-spec.ts';
import { optionsOf } from '../options.ts';
import { UsageError } from '../usage-error.ts';
import { verb } from '../verb.ts';

const ABOUT_CRAWLER = ['contact', 'user-agent', 'purpose', 'delay', 'config', 'why', 'out'];

/** The options that each action takes. */
const TAKES: Readonly<Record<IdentityAction, readonly string[]>> = {
  create: ['agent', 'days', 'json'],
  rotate: ['days', 'at-once', 'json'],
  publish: [...ABOUT_CRAWLER, 'json'],
  page: ABOUT_CRAWLER,
};

const DEFAULT_DAYS = 365;

export const command = verb({
  usage: 'identity ACTION [FILE]',
  stackUsage: 'identity upload [FILE]',
  more: 'create and rotate make keys, publish and page make what you publish about them. FILE is ~/.config/strand/identity.json by default.',
  examples: [
    'identity create --agent https://crawler.example.org',
    'identity publish --contact me@example.org --out public',
    'identity rotate',
    'identity page --contact me@example.org --out crawler.html',
    '--stack Strand identity upload',
  ],
  options: [
    ...here([
      CONFIG_OPTION,
      ...optionsOf('delayMs', 'contact', 'userAgent', 'purpose'),
      {
        name: 'out',
        argument: 'PATH',
        type: 'text',
        group: 'Output',
        help: 'write to this file (page) or folder (publish) instead of standard output',
      },
      {
        name: 'agent',
        argument: 'URL',
        type: 'text',
        group: 'Identity',
        help: 'create: the https origin where you will publish the public keys, such as https://crawler.example.org',
      },
      {
        name: 'days',
        argument: 'N',
        type: 'count',
        range: [1, 3650],
        preset: String(DEFAULT_DAYS),
        group: 'Identity',
        help: 'create, rotate: the new key signs for N days',
      },
      {
        name: 'at-once',
        type: 'flag',
        group: 'Identity',
        help: 'rotate: use the new key now and drop the others, because somebody else has seen a private key',
      },
      {
        name: 'why',
        argument: 'TEXT',
        type: 'text',
        group: 'Identity',
        help: 'page, publish: why you crawl, in your words',
      },
    ]),
    JSON_OPTION,
  ],
  read(given): IdentityAsked | { readonly action: 'upload'; readonly file: string | undefined } {
    const [word, file, ...others] = given.words;
    const isWrong = file === '' || others.length > 0;
    if (given.isOnStack) {
      if (isWrong || word !== 'upload') throw wrongWords(given, 'upload [FILE]');
      return { action: word, file };
    }
    const action = ACTIONS.find((known) => known === word);
    if (isWrong || action === undefined) throw wrongWords(given, `${ACTIONS.join('|')} [FILE]`);
    refuseOthers(given, action);
    return {
      action,
      file,
      agent: agentOf(given, action),
      days: numberOf(given, 'days') ?? DEFAULT_DAYS,
      atOnce: isSet(given, 'at-once'),
      out: textOf(given, 'out'),
      about: aboutOf(given),
      config: textOf(given, 'config'),
      options: configOf(given),
      json: isSet(given, 'json'),
    };
  },
  async run(asked, place) {
    if (asked.action === 'upload') {
      const { uploadedText, uploadIdentity } = await import('../identity/upload-identity.ts');
      const uploaded = await uploadIdentity(place.stack!, asked.file);
      return place.print(uploaded, uploadedText(uploaded));
    }
    const { doAction } = await import('../identity/actions.ts');
    await doAction(asked);
    return exitCodes.finished;
  },
});

function refuseOthers({ values, options }: Given, action: IdentityAction): void {
  const stray = options.find(({ name }) => values.has(name) && !TAKES[action].includes(name));
  if (stray === undefined) return;
  throw new UsageError(
    `identity ${action} takes no --${stray.name}; it takes ${TAKES[action].map((name) => `--${name}`).join(', ')}`,
  );
}

function agentOf(given: Given, action: IdentityAction): string | undefined {
  const agent = textOf(given, 'agent');
  if (action === 'create' && agent === undefined)
    throw new UsageError(
      'Expected --agent URL with identity create: the https origin where you will publish the public keys, such as ' +
        'https://crawler.example.org',
    );
  return agent;
}

function aboutOf(given: Given): string | undefined {
  const about = textOf(given, 'why');
  if (about !== undefined && about.length > 2000)
    throw new UsageError(
      `Expected --why TEXT of at most 2000 characters, got ${quoted(`${about.slice(0, 40)}...`)}`,
    );
  return about;
}
