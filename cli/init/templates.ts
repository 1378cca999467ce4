/** The projects that `strand init` creates, each a folder of `templates/`. */
export const TEMPLATES = {
  'archive-a-site': {
    summary: 'archive a site with all that its pages need, as WARC and WACZ',
    next: ['npm run crawl'],
    edit: 'seeds.txt and contact in strand.config.ts',
  },
  'shop-items': {
    summary: 'items of the product pages of a shop, as JSON lines and CSV',
    next: ['npm run crawl', 'npm run items'],
    edit: 'seeds.txt, and contact and the route in strand.config.ts',
  },
  'watch-a-site': {
    summary: 'which pages of a site are new, changed or gone',
    next: ['npm run watch'],
    edit: 'site.ts',
  },
  'broad-crawl-on-aws': {
    summary: 'a stack on AWS for crawls of many sites',
    next: ['npx cdk bootstrap', 'npm run deploy', 'npm run crawl'],
    edit: 'seeds.txt and contact in app.ts',
  },
} as const satisfies Readonly<Record<string, Template>>;

interface Template {
  readonly summary: string;
  /** Commands after `npm install`. */
  readonly next: readonly string[];
  /** The edits to make first. */
  readonly edit: string;
}

export type TemplateName = keyof typeof TEMPLATES;
export const TEMPLATE_NAMES = Object.keys(TEMPLATES) as readonly TemplateName[];
export const isTemplate = (name: string): name is TemplateName => Object.hasOwn(TEMPLATES, name);
