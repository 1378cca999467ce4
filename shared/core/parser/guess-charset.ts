/**
 * Guesses the encoding of a document that declares none and is not UTF-8, as browsers do, which the HTML standard
 * leaves open (section 13.2.3.2, steps 8 and 9): by the characters that are frequent in a language. Bytes that are
 * frequent in Western languages are not frequent elsewhere: then, and in doubt, nothing is guessed.
 */
import { decodeAll } from './charset-decoder.ts';
import { AttributeList, readAttributes } from './tag-attributes.ts';

interface Language {
  /** As `lang` has them, without their region. */
  readonly codes: string;
  readonly charsets: readonly string[];
  /** Frequent characters; for scripts of Latin letters all that are not ASCII. */
  readonly letters: string;
}

interface Script {
  readonly languages: readonly Language[];
  /** Least share of frequent characters. */
  readonly leastShare: number;
  /** How many characters beyond ASCII stand together at least where that is a word. */
  readonly run: number;
  /** Least share of characters in such runs. */
  readonly leastInRuns: number;
}

const CYRILLIC = ['windows-1251', 'koi8-r', 'koi8-u', 'iso-8859-5', 'ibm866'];
const CENTRAL = ['windows-1250', 'iso-8859-2'];

/** Alphabets: words are runs of them. */
const ALPHABETS: Script = {
  leastShare: 0.5,
  run: 3,
  leastInRuns: 0.6,
  languages: [
    { codes: 'ru be bg mk sr uk kk ky mn tg tt', charsets: CYRILLIC, letters: 'оеаинтсрвлкмдпуяіь' },
    { codes: 'el', charsets: ['windows-1253', 'iso-8859-7'], letters: 'αοιετσνηυρπκλμςωάέήίόύώδΆ' },
    { codes: 'he iw yi', charsets: ['windows-1255'], letters: 'יוהלאתרבשמנםפןדקעחגט' },
    { codes: 'ar fa ur', charsets: ['windows-1256', 'iso-8859-6'], letters: 'اليمونترهدبسعفقكحجشة' },
    { codes: 'th', charsets: ['windows-874'], letters: 'านรกเอยงมลวดทตสปค่ี้ัิ์ใไแ' },
  ],
};

/** Scripts of many characters, of which a hundred make a third of each text. */
const MANY: Script = {
  leastShare: 0.15,
  run: 2,
  leastInRuns: 0.3,
  languages: [
    {
      codes: 'ja',
      charsets: ['shift_jis', 'euc-jp'],
      letters:
        'のにはをたがでてとしれさいるなかもっりこまあそすきくらうよけんー「」・ンスルイトリアクラシドタロジフ、。日本',
    },
    {
      codes: 'ko',
      charsets: ['euc-kr'],
      letters: '이다는의에을를가고하은한로지도사기인니어서으자시리해대나아라있습그들과할일제수보정전',
    },
    {
      codes: 'zh',
      charsets: ['gbk'],
      letters:
        '的一是不了在人有我他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对着事其里所去行过家十用发天如然作方成者多日都三小军二无同，。',
    },
    {
      codes: 'zh',
      charsets: ['big5'],
      letters:
        '的一是不了在人有我他這為之大來以個中上們到說國和地也子時道出而要於就下得可你年生自會那後能對著事其裡所去行過家十用發天如然作方成者多日都三小軍二無同，。',
    },
  ],
};

/** Latin letters stand one by one among those of ASCII. */
const LATIN: Script = {
  leastShare: 0.9,
  run: 1,
  leastInRuns: 0,
  languages: [
    { codes: 'pl', charsets: CENTRAL, letters: 'ąćęłńóśźżĄĆĘŁŃÓŚŹŻ' },
    { codes: 'cs sk', charsets: CENTRAL, letters: 'áčďéěíňóřšťúůýžäľĺôŕÁČĎÉĚÍŇÓŘŠŤÚŮÝŽĽ' },
    { codes: 'hu', charsets: CENTRAL, letters: 'áéíóöőúüűÁÉÍÓÖŐÚÜŰ' },
    { codes: 'hr sl bs', charsets: CENTRAL, letters: 'čćđšžČĆĐŠŽ' },
    { codes: 'ro', charsets: CENTRAL, letters: 'ăâîşţĂÂÎŞŢ' },
    { codes: 'tr az', charsets: ['windows-1254'], letters: 'çğıöşüÇĞİÖŞÜâî' },
    { codes: 'lt', charsets: ['windows-1257'], letters: 'ąčęėįšųūžĄČĘĖĮŠŲŪŽ' },
    { codes: 'lv', charsets: ['windows-1257'], letters: 'āčēģīķļņšūžĀČĒĢĪĶĻŅŠŪŽ' },
  ],
};
/** Letters of the languages that windows-1252 is for: for a text in one of them no other encoding is guessed. */
const WESTERN: readonly string[] = [
  'éèàùçêâîôûëïœæÉÈÀÇÊ',
  'äöüßÄÖÜ',
  'áéíóúñü¿¡ÁÉÍÓÚÑºª',
  'ãõáéíóúâêôçàüÃÕÁÉÍÓÚÂÊÔÇÀºª',
  'àèéìòùÀÈÉÌÒÙ',
  'åäöæøéÅÄÖÆØ',
  'áéíóúýþæöðÁÉÍÓÚÝÞÆÖÐ',
  'äöõüšžÄÖÕÜ',
  'éëïóöèáúü',
];

/** Bytes that mean one character in most encodings: they do not help. */
const NEUTRAL: ReadonlySet<string> = new Set('\u00a0©®«»§°·–—‘’‚“”„…€™•');
const SAMPLE_BYTES = 4096;
/** The tag `html` stands in these. */
const HEAD_BYTES = 4096;
/** Fewer characters beyond ASCII say little; with a `lang`, one is enough. */
const LEAST_CHARACTERS = 8;
/** By so much another encoding must be better than windows-1252. */
const LEAST_LEAD = 0.1;

/** Undefined: no good guess. `start`: the document, or its beginning. */
export function guessCharset(start: Uint8Array): string | undefined {
  const first = start.findIndex((byte) => byte >= 0x80);
  if (first < 0) return undefined;
  const sample = start.subarray(first, first + SAMPLE_BYTES);
  const lang = langOf(start);
  const named = [MANY, ALPHABETS, LATIN].map((script) => ({
    ...script,
    languages: script.languages.filter(({ codes }) => lang !== undefined && codes.split(' ').includes(lang)),
  }));
  return bestOf(named, sample, 1) ?? bestOf([MANY, ALPHABETS, LATIN], sample, LEAST_CHARACTERS);
}

/** The language that the document names, without its region. */
function langOf(start: Uint8Array): string | undefined {
  const head = Buffer.from(start.subarray(0, HEAD_BYTES)).toString('latin1');
  const tag = head.search(/<html[\t\n\f\r ]/i);
  const attributes = new AttributeList();
  if (tag < 0 || readAttributes(head, tag + '<html'.length, attributes) < 0) return undefined;
  return attributes.get('lang')?.trim().slice(0, 2).toLowerCase();
}

function bestOf(scripts: readonly Script[], sample: Uint8Array, least: number): string | undefined {
  for (const script of scripts) {
    let best: { readonly charset: string; readonly share: number } | undefined;
    for (const charset of new Set(script.languages.flatMap(({ charsets }) => charsets))) {
      const measured = measure(decodeAll(sample, charset), script.run);
      if (measured.count < least || measured.inRuns < script.leastInRuns) continue;
      for (const { letters, charsets } of script.languages) {
        const share = charsets.includes(charset) ? measured.shareOf(letters) : 0;
        if (share >= script.leastShare && share > (best?.share ?? 0)) best = { charset, share };
      }
    }
    if (best !== undefined && (script.run > 1 || best.share >= westernShare(sample) + LEAST_LEAD))
      return best.charset;
  }
  return undefined;
}

function westernShare(sample: Uint8Array): number {
  const { shareOf } = measure(decodeAll(sample, 'windows-1252'), 1);
  return Math.max(...WESTERN.map(shareOf));
}

/**
 * The characters beyond ASCII of a text: how many there are, which share stands in runs of `least`, and which share is one of
 * some letters.
 */
function measure(text: string, least: number) {
  const counts = new Map<string, number>();
  let count = 0;
  let inRuns = 0;
  let run = 0;
  for (const character of `${text} `) {
    if (character > '\x7f' && !NEUTRAL.has(character)) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
      run++;
      continue;
    }
    count += run;
    if (run >= least) inRuns += run;
    run = 0;
  }
  const shareOf = (letters: string): number => {
    let found = 0;
    for (const letter of new Set(letters)) found += counts.get(letter) ?? 0;
    return count === 0 ? 0 : found / count;
  };
  return { count, inRuns: count === 0 ? 0 : inRuns / count, shareOf };
}
