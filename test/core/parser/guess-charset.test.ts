import { describe, expect, test } from 'vitest';
import { characterEncoder } from '../../../shared/core/parser/charset-encoder.ts';
import { guessCharset } from '../../../shared/core/parser/guess-charset.ts';

function bytesIn(charset: string, text: string): Uint8Array {
  const encode = characterEncoder(charset)!;
  const bytesOf = (letter: string) => (letter < '\x80' ? [letter.charCodeAt(0)] : (encode(letter) ?? [0x3f]));
  return Uint8Array.from([...text].flatMap(bytesOf));
}

/** A text in each language, and the encodings in which pages have it. */
const TEXTS: readonly (readonly [lang: string, charsets: readonly string[], text: string])[] = [
  [
    'ru',
    ['windows-1251', 'koi8-r', 'iso-8859-5', 'ibm866'],
    'Наш магазин работает каждый день с девяти до восьми. Доставка по городу бесплатная, а в другие города — по тарифам почты.',
  ],
  [
    'uk',
    ['windows-1251', 'koi8-u'],
    'Наш магазин працює щодня. Доставка по місту безкоштовна, а в інші міста за тарифами пошти.',
  ],
  [
    'bg',
    ['windows-1251'],
    'Нашият магазин работи всеки ден от девет до осем часа. Доставката в града е безплатна.',
  ],
  [
    'el',
    ['windows-1253', 'iso-8859-7'],
    'Άνοιξη: το κατάστημά μας είναι ανοιχτό κάθε μέρα από τις εννέα μέχρι τις οκτώ το βράδυ.',
  ],
  ['he', ['windows-1255'], 'החנות שלנו פתוחה בכל יום מהבוקר ועד הערב, והמשלוח בעיר הוא חינם לכל הלקוחות.'],
  [
    'ar',
    ['windows-1256'],
    'متجرنا مفتوح كل يوم من الساعة التاسعة حتى الثامنة مساء والتوصيل داخل المدينة مجاني.',
  ],
  ['th', ['windows-874'], 'ร้านของเราเปิดทุกวันตั้งแต่เก้าโมงเช้าถึงสองทุ่ม และส่งฟรีภายในเมือง'],
  [
    'ja',
    ['shift_jis', 'euc-jp'],
    '当店は毎日九時から営業しています。市内への配送は無料です。ご注文はお電話でもどうぞ。',
  ],
  ['ja', ['shift_jis', 'euc-jp'], 'ホーム ニュース プロフィール リンク 掲示板 日記'],
  ['ja', ['shift_jis', 'euc-jp'], '「apt」「dpkg」「aptitude」「main」の例、表「a」「b」、戻る 次へ「c」'],
  [
    'ko',
    ['euc-kr'],
    '우리 가게는 매일 아침 아홉 시부터 저녁 여덟 시까지 문을 엽니다. 시내 배송은 무료입니다.',
  ],
  ['zh', ['gbk'], '我们的商店每天从九点到八点营业。市内的送货是免费的，其他地方的价格请看这里。'],
  ['zh', ['big5'], '我們的商店每天從九點到八點營業。市內的送貨是免費的，其他地方的價格請看這裡。'],
  [
    'pl',
    ['windows-1250', 'iso-8859-2'],
    'Nasz sklep jest otwarty codziennie od dziewiątej do ósmej. Dostawa w mieście jest bezpłatna, a zamówić można też przez telefon. Źródło: książka.',
  ],
  [
    'cs',
    ['windows-1250', 'iso-8859-2'],
    'Náš obchod je otevřen každý den od devíti do osmi hodin. Doručení ve městě je zdarma, objednávejte telefonicky. Příště žádný další.',
  ],
  [
    'hu',
    ['windows-1250'],
    'Üzletünk minden nap kilenctől nyolcig tart nyitva. A városban a szállítás ingyenes, a rendelést telefonon is fölvesszük. Köszönjük, hogy minket választott, erős tűz.',
  ],
  [
    'tr',
    ['windows-1254'],
    'Mağazamız her gün dokuzdan sekize kadar açıktır. Şehir içi teslimat ücretsizdir, siparişlerinizi telefonla da verebilirsiniz.',
  ],
  [
    'lt',
    ['windows-1257'],
    'Mūsų parduotuvė dirba kiekvieną dieną. Pristatymas mieste nemokamas, užsakyti galima ir telefonu. Ačiū, kad mus pasirinkote, žmonės.',
  ],
];

describe('guessCharset', () => {
  test.each(
    TEXTS.flatMap(([lang, charsets, text]) => charsets.map((charset) => [lang, charset, text] as const)),
  )('a page in %s and %s', (lang, charset, text) => {
    const page = `<title>x</title><p class=a>${text}</p><p>${text}`;
    expect(guessCharset(bytesIn(charset, page))).toBe(charset === 'koi8-u' ? 'koi8-u' : charset);
    expect(guessCharset(bytesIn(charset, `<html lang="${lang}">${page}`))).toBe(charset);
    expect(guessCharset(bytesIn(charset, `<html lang="en">${page}`))).toBe(charset);
  });

  test.each([
    [
      'French',
      'L’été dernier, nous avons été à la plage près du château. Où êtes-vous allés ? Ça va être très drôle, à Noël.',
    ],
    [
      'German',
      'Schöne Grüße aus München: über Straßen, Bäume, Äpfel und Österreich. Öl für die Tür, müde Füße.',
    ],
    [
      'Spanish',
      '¿Cómo está usted? El niño comió una piña mañana en España. ¡Qué día! Él también irá después, según dijo.',
    ],
    [
      'Portuguese',
      'Não há informações sobre a situação. Você já está à espera? Coração, mãe, avô, três irmãos, às vezes.',
    ],
    [
      'Italian',
      'Perché non può essere così? È già tardi, però verrà più tardi: la città è là, di lunedì o martedì.',
    ],
    [
      'Swedish',
      'Vår affär är öppen varje dag från nio till åtta. På hösten är det fri frakt. Smörgås, kött, räkor och ål.',
    ],
    [
      'Danish',
      'Vores butik er åben hver dag. På søndage får du også rødgrød med fløde. Æbler, ål og smørrebrød på øen.',
    ],
    [
      'Finnish',
      'Päällä on hyvää jäätelöä. Tämä yö on pitkä, ja äiti on täällä. Kääntäjä söi häntä. Ääni höyryää.',
    ],
    [
      'Icelandic',
      'Verslunin er opin á hverjum degi. Það er ókeypis að senda innanbæjar. Þú mátt hringja í síma á morgun, góði.',
    ],
    [
      'Estonian',
      'Meie pood on avatud iga päev. Võõras öö jäi küll õhtuks. Tööd tehakse õhinal, šokolaad ja žanr.',
    ],
    ['signs alone', '© 2004 «A» – “B” • 20 °C · § 5 ® 100 €'],
    ['a few letters', 'naïve café'],
    ['bytes', '\xff\xd8\xff\xe0\x80\x81 \xf3 \xb9x\xca'],
  ])('there is none for %s', (_, text) => {
    const bytes = bytesIn('windows-1252', `<p>${text}</p><p>${text}`);
    expect(guessCharset(bytes)).toBeUndefined();
    expect(guessCharset(Buffer.concat([Buffer.from('<html lang=ru>'), bytes]))).toBeUndefined();
  });

  test('of few characters the language of the page decides', () => {
    const page = (lang: string) => bytesIn('windows-1251', `<html dir=ltr lang='${lang}'><title>Дом</title>`);
    expect([page('ru-RU'), page('en'), page('')].map(guessCharset)).toEqual([
      'windows-1251',
      undefined,
      undefined,
    ]);
  });

  test('ASCII says nothing', () => {
    expect(guessCharset(Buffer.from('abc'))).toBeUndefined();
  });
});
