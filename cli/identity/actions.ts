/** Makes the keys that sign requests, and what is published about them. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../shared/core/base/error-message.ts';
import { DIRECTORY_PATH, directoryOf } from '../../shared/core/identity/directory.ts';
import { checkKeys, keyAt, readAgent, readIdentity } from '../../shared/core/identity/identity.ts';
import { InvalidIdentity } from '../../shared/core/identity/invalid-identity.ts';
import {
  type IdentityDocument,
  newIdentity,
  type PrivateJwk,
  rotateKeys,
} from '../../shared/core/identity/rotate-keys.ts';
import { readIdentityFile } from '../../shared/engines/local/identity-file.ts';
import { makeFolders } from '../../shared/engines/local/make-folders.ts';
import { readProject } from '../../shared/services/project/project-file.ts';
import { shellWord } from '../command-at.ts';
import { parseCrawlConfig } from '../crawl-config.ts';
import { withOutput } from '../export/output-file.ts';
import { PROGRAM } from '../program.ts';
import { UsageError } from '../usage-error.ts';
import { type AboutCrawler, agentCard, CARD_PATH, PAGE_PATH } from './agent-card.ts';
import type { IdentityAsked } from './asked.ts';
import { crawlerPage } from './crawler-page.ts';
import { headersFile, hostingText } from './hosting-text.ts';
import { ownIdentityFile } from './own-file.ts';

export async function doAction(asked: IdentityAsked): Promise<void> {
  const file = asked.file ?? ownIdentityFile(process.env);
  try {
    if (asked.action === 'create') create(file, asked);
    else if (asked.action === 'rotate') rotate(file, asked);
    else if (asked.action === 'publish') await publish(file, asked);
    else await page(file, asked);
  } catch (error) {
    if (error instanceof InvalidIdentity) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

const newJwk = () =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as unknown as PrivateJwk;

const timeOf = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

function create(file: string, { agent, days, json }: IdentityAsked): void {
  const document = newIdentity(readAgent(agent, '--agent'), { jwk: newJwk(), days }, Date.now());
  if (existsSync(file))
    throw new UsageError(
      `${file} exists already, and no key is overwritten: identity rotate makes a new key in it`,
    );
  writing(file, () => {
    makeFolders(dirname(file), 0o700);
    // Fails if the file has come into being since.
    writeFileSync(file, textOf(document), { flag: 'wx', mode: 0o600 });
  });
  const { keys } = readIdentity(document, { where: file });
  const [{ keyid, expiresAt = 0 }] = keys as [(typeof keys)[0]];
  const made = { file, agent: document.agent, keyid, expiresAt: new Date(expiresAt * 1000).toISOString() };
  const name = shellWord(file);
  print(json, made, [
    `Made ${file}, which only you can read. Keep it secret, and have a copy of it.`,
    `  Agent    ${made.agent}`,
    `  Key      ${keyid}`,
    `  Expires  ${timeOf(expiresAt)}: ${PROGRAM} identity rotate ${name} makes a new key before`,
    '',
    `Next:      ${PROGRAM} identity publish ${name} --contact YOU@EXAMPLE.ORG --out public`,
    `Then:      ${PROGRAM} crawl example.org --identity ${name} --contact YOU@EXAMPLE.ORG`,
  ]);
}

function rotate(file: string, { days, atOnce, json }: IdentityAsked): void {
  const present = readIdentityFile(file);
  const rotation = rotateKeys(present, { jwk: newJwk(), days }, { now: Date.now(), isAtOnce: atOnce });
  replace(file, rotation.document);
  const { keys } = readIdentity(rotation.document, { where: file });
  const added = keys.at(-1)!;
  const isNow = rotation.signsFrom * 1000 <= Date.now();
  const made = { file, keyid: added.keyid, signsFrom: new Date(rotation.signsFrom * 1000).toISOString() };
  print(json, made, [
    `${file} has a new key, ${added.keyid}.`,
    isNow
      ? 'It signs from now on. Sites reject its signatures until you publish the directory, and their copy of it is up to a day old.'
      : `It signs from ${timeOf(rotation.signsFrom)} on; until then the present key signs. Crawls that run read the file again.`,
    `Publish the directory ${isNow ? 'now' : 'within a day'}: ${PROGRAM} identity publish ${shellWord(file)} --out public`,
  ]);
}

const textOf = (document: IdentityDocument): string => `${JSON.stringify(document, null, 2)}\n`;

/** All or nothing: half of a file would have no key. A link stays a link. */
function replace(link: string, document: IdentityDocument): void {
  const file = realpathSync(link);
  const part = `${file}.${randomUUID().slice(0, 8)}.part`;
  writing(file, () => {
    try {
      writeFileSync(part, textOf(document), { flag: 'wx', mode: 0o600, flush: true });
      renameSync(part, file);
    } catch (error) {
      rmSync(part, { force: true });
      throw error;
    }
  });
}

function writing(file: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    throw new UsageError(`${file} cannot be written: ${messageOf(cause)}`, { cause });
  }
}

async function aboutCrawler(agent: string | undefined, asked: IdentityAsked): Promise<AboutCrawler> {
  const project = await readProject(asked.config);
  return { agent, config: parseCrawlConfig({ ...project.crawl, ...asked.options }), about: asked.about };
}

async function publish(file: string, asked: IdentityAsked): Promise<void> {
  const identity = readIdentityFile(file);
  const { agent } = identity;
  checkKeys(identity, Date.now(), file);
  const directory = directoryOf(identity, Date.now());
  const crawler = { ...(await aboutCrawler(agent, asked)), agent };
  const card = agentCard(crawler);
  const { out, json } = asked;
  if (out !== undefined) {
    write(out, DIRECTORY_PATH, directory.body);
    write(out, CARD_PATH, `${JSON.stringify(card, null, 2)}\n`);
    write(out, PAGE_PATH, crawlerPage(crawler));
    writeHeaders(out, headersFile(directory));
  }
  const signs = keyAt(identity.keys, Date.now())?.keyid;
  const expiresAt = new Date(directory.expiresAt * 1000).toISOString();
  const made = {
    agent,
    signs,
    directory: { keys: directory.keys },
    body: directory.body,
    headers: directory.headers,
    card,
    expiresAt,
  };
  const shown =
    out === undefined
      ? [`${DIRECTORY_PATH}:`, directory.body, '', `${CARD_PATH}:`, JSON.stringify(card, null, 2), '']
      : [];
  print(json, made, [...shown, hostingText(agent, directory, out).trimEnd()]);
  if (crawler.config.contact === undefined)
    process.stderr.write('The card and the page name nobody to write to: give --contact\n');
}

function write(folder: string, path: string, text: string): void {
  const file = join(folder, path);
  writing(file, () => {
    makeFolders(dirname(file));
    writeFileSync(file, text);
  });
}

/** The folder may be that of a whole site, with rules of its own. */
function writeHeaders(folder: string, rules: string): void {
  const file = join(folder, '_headers');
  const isOurs = !existsSync(file) || readFileSync(file, 'utf8').startsWith(DIRECTORY_PATH);
  if (isOurs) write(folder, '_headers', rules);
  else process.stderr.write(`${file} has other rules, and was left as it is: add the headers below to it\n`);
}

async function page(file: string, asked: IdentityAsked): Promise<void> {
  // A crawler that signs nothing may have a page, too.
  const agent = asked.file !== undefined || existsSync(file) ? readIdentityFile(file).agent : undefined;
  const crawler = await aboutCrawler(agent, asked);
  await withOutput(asked.out, async (out) => {
    out.write(crawlerPage(crawler));
  });
  if (crawler.config.contact === undefined)
    process.stderr.write('The page names nobody to write to: give --contact\n');
}

function print(json: boolean, made: object, lines: readonly string[]): void {
  process.stdout.write(json ? `${JSON.stringify(made)}\n` : `${lines.join('\n')}\n`);
}
