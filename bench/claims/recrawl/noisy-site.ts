/**
 * A site of which each page is another payload at each fetch, though its text is the same: clocks, tokens,
 * counters and advertisements, on three pages of ten.
 */
import { createHtmlLinks } from '../../../shared/core/parser/html-links.ts';
import { type ChangeDigest, changeDigest, hasChanged } from '../../../shared/core/recrawl/change-digest.ts';
import { createRepeatedBlocks } from '../../../shared/core/recrawl/repeated-blocks.ts';
import { pick, type Random, randomOf } from '../../../simulation/models/random.ts';

export const NOISES = ['clock', 'token', 'counter', 'advertisement'] as const;
export type Noise = (typeof NOISES)[number];

/** Three pages of ten have a noise, each kind as often. */
export const noiseOf = (page: number): Noise | undefined =>
  page % 10 < 3 ? NOISES[Math.floor(page / 10) % NOISES.length] : undefined;

const PAGES = 400;
const ROUNDS = 12;

export interface NoiseFound {
  /** The share of fetches of an unchanged page that seem to find a change, by its noise. */
  readonly falseChanges: Readonly<Record<Noise, number>>;
  /** The share of changes of one sentence that are found. */
  readonly foundChanges: number;
}

/**
 * Fetches all pages of a site several times, while a fifth of them change each time. The first third does not count,
 * as elsewhere: nothing is known of the host's blocks then.
 */
export function measureNoise(seed: number): NoiseFound {
  const random = randomOf('noise', seed);
  const repeated = createRepeatedBlocks();
  const site = createSite(random);
  const versions = new Uint32Array(PAGES);
  const digests: ChangeDigest[] = [];
  const counts = new Map<string, { seen: number; of: number }>();
  const count = (what: string, isSeen: boolean): void => {
    const before = counts.get(what) ?? { seen: 0, of: 0 };
    counts.set(what, { seen: before.seen + (isSeen ? 1 : 0), of: before.of + 1 });
  };
  for (let round = 0; round < ROUNDS; round++) {
    for (let page = 0; page < PAGES; page++) {
      const isOther = round > 0 && random() < 0.2;
      if (isOther) versions[page] = (versions[page] as number) + 1;
      const html = site.render(page, versions[page] as number, random);
      const parser = createHtmlLinks({
        url: 'https://site.test/',
        contentType: 'text/html',
        maxLinks: 1000,
        wantsBlocks: true,
      });
      parser.write(Buffer.from(html));
      const blocks = parser.end().blocks!;
      const digest = changeDigest(blocks, repeated)!;
      const before = digests[page];
      const isSeen = before === undefined || hasChanged(before, digest);
      if (isSeen) repeated.countPage(page, blocks.blocks);
      if (before && round >= ROUNDS / 3) count(isOther ? 'change' : (noiseOf(page) ?? 'none'), isSeen);
      digests[page] = digest;
    }
  }
  const shareOf = (what: string): number => {
    const { seen, of } = counts.get(what) ?? { seen: 0, of: 1 };
    return seen / of;
  };
  return {
    falseChanges: Object.fromEntries(NOISES.map((noise) => [noise, shareOf(noise)])) as Record<Noise, number>,
    foundChanges: shareOf('change'),
  };
}

function createSite(random: Random) {
  const syllables = 'ba ke lo mi nu ra se ti vo za dor fin gal hem'.split(' ');
  const word = (): string => pick(random, syllables) + pick(random, syllables) + pick(random, syllables);
  const sentence = (words: number): string => Array.from({ length: words }, word).join(' ');
  const navigation = Array.from({ length: 25 }, () => `<li><a href="/x">${sentence(2)}</a></li>`).join('');
  const advertisements = Array.from(
    { length: 12 },
    () => `<aside><b>${sentence(3)}</b> ${sentence(9)}</aside>`,
  );
  const own = Array.from({ length: PAGES }, () => Array.from({ length: 12 }, () => sentence(30)));
  const sentences = Array.from({ length: 500 }, () => sentence(12));
  const hex = (chance: Random): string =>
    Array.from({ length: 32 }, () => Math.floor(chance() * 16).toString(16)).join('');
  const noise: Record<Noise, (chance: Random) => string> = {
    clock: (chance) =>
      `<p>Server time: ${new Date(1.8e12 * (1 + chance() / 10)).toUTCString()}, updated ${Math.floor(chance() * 59)} minutes ago</p>`,
    token: (chance) =>
      `<form><input type="hidden" value="${hex(chance)}"></form><p>Request ${hex(chance)}</p>`,
    counter: (chance) =>
      `<p>This page was seen ${Math.floor(chance() * 1e6).toLocaleString('en')} times.</p>`,
    advertisement: (chance) => pick(chance, advertisements),
  };
  return {
    render(page: number, version: number, chance: Random): string {
      const kind = noiseOf(page);
      const paragraphs = (own[page] as string[]).map((text) => `<p>${text}</p>`);
      const changed = version === 0 ? '' : `<p>${sentences[(page * 31 + version) % sentences.length]}</p>`;
      return (
        `<!doctype html><html><head><title>${own[page]?.[0]?.slice(0, 40)}</title></head><body><ul>${navigation}</ul>` +
        `<h1>${own[page]?.[1]?.slice(0, 40)}</h1>${paragraphs.slice(0, 6).join('\n')}${changed}` +
        `${kind ? noise[kind](chance) : ''}${paragraphs.slice(6).join('\n')}<footer>${sentences[0]}</footer></body></html>`
      );
    },
  };
}
