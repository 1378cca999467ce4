/** A command as it was given. Options and limits hold only what was given: `crawl-config.ts` checks them. */

import type { KeptOutputs } from '../api/local/kept-outputs.ts';
import type { StackAddress } from '../api/stack-address.ts';
import type { TableName } from '../api/stored-crawl.ts';
import type { CrawlOptions } from '../shared/core/crawl/config.ts';
import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import type { LogFormat, LogLevel } from '../shared/core/text/log-entry.ts';
import type { CrawlStatus } from '../shared/crawler/ports/crawl-registry.ts';
import type { CloudFormat } from '../shared/services/control/crawl-export.ts';
import type { SiteFilter } from '../shared/services/report/site-entries.ts';
import type { Shell } from './completion.ts';
import type { TemplateName } from './init/templates.ts';
import type { ExportFormat } from './option-spec.ts';
import type { Verb } from './verbs.ts';

export type Command =
  | LocalCommand
  | StackCommand
  | { readonly verb: 'help'; readonly topic?: Verb }
  | { readonly verb: 'version' };

/** Options for the output of a crawl while it runs. */
export interface Logging {
  /** Lines of a log on standard error; none: what a person watches. */
  readonly logFormat?: LogFormat | undefined;
  readonly logLevel?: LogLevel | undefined;
  readonly quiet: boolean;
}

export interface Seeds {
  /** Absolute http(s) URLs as the WHATWG parser writes them, in the order given. */
  readonly seeds: readonly string[];
  /** A file with more seeds; `-` is standard input. */
  readonly seedsFile?: string;
  /** A file with the sites of the crawl, whose URLs are seeds. */
  readonly sitesFile?: string | undefined;
}

/** Settings that are given as files, or that are secret. */
export interface NetworkFiles {
  /** As given: `@FILE`, or the text itself. */
  readonly headers: readonly string[];
  readonly auth: readonly string[];
  /** Names of files. */
  readonly cookies?: string | undefined;
  readonly ca?: string | undefined;
  readonly clientCert?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly identity?: string | undefined;
  readonly domainBudgets?: string | undefined;
  /** The file of addresses without a pause of their own. */
  readonly ipDelayExcept?: string | undefined;
}

/** The settings that `resume` may change: limits, recrawl. */
export type RaisedLimits = Pick<
  CrawlOptions,
  | 'maxPages'
  | 'maxBytes'
  | 'maxTimeMs'
  | 'maxCost'
  | 'maxPagesPerHost'
  | 'domainBudget'
  | 'recrawl'
  | 'recrawlEveryMs'
  | 'recrawlSchedule'
  | 'recrawlTimeZone'
  | 'recrawlPerDay'
  | 'changeFeed'
  | 'documents'
>;

/** On a crawl's folder. */
export type LocalCommand =
  | (Seeds &
      Logging & {
        readonly verb: 'crawl';
        readonly out?: string;
        /** The project's file; where none is named, `strand.config.ts` if it is there. */
        readonly config?: string;
        readonly options: CrawlOptions;
        readonly network?: NetworkFiles | undefined;
        /** Threads that crawl, each some of the hosts. */
        readonly workers: number;
        /** An earlier crawl's folder: its payloads are not stored again. */
        readonly dedupeFrom?: string;
        /** An earlier crawl's folder: its responses are used instead of asking the sites. */
        readonly cache?: string | undefined;
        /** A folder for a mirror, written when the crawl is over. */
        readonly save?: string | undefined;
        /** Files in the crawl's folder that are brought up to date when the crawl is over. */
        readonly keep?: KeptOutputs;
        /** Ends when nothing is due. */
        readonly once?: boolean;
        readonly json: boolean;
      })
  | (Logging & {
      readonly verb: 'resume';
      readonly dir: string;
      /** A file with the sites that the crawl has from now on. */
      readonly sitesFile?: string | undefined;
      readonly config?: string;
      readonly limits: RaisedLimits & Pick<CrawlOptions, 'identity'>;
      readonly workers: number;
      /**
       * Goes on though this program's rules for canonical URLs are others than those the crawl began with.
       */
      readonly newUrlRules: boolean;
      /** Obeys settings that open something, and that this user has not made. */
      readonly trustSettings: boolean;
      /** As for `crawl`, instead of the one that the crawl began with; `false`: none. */
      readonly cache?: string | false | undefined;
      /** As for `crawl`. */
      readonly save?: string | undefined;
      /** As for `crawl`. */
      readonly keep?: KeptOutputs;
      /** As for `crawl`. */
      readonly once?: boolean;
      readonly json: boolean;
    })
  | OnFolder<'status' | 'watch' | 'pause' | 'stop'>
  | { readonly verb: 'list'; readonly folder: string; readonly json: boolean }
  | {
      readonly verb: 'hosts';
      readonly dir: string;
      /** One host alone, in detail. */
      readonly host?: string;
      readonly cursor?: string;
      readonly limit?: number;
      /** The registrable domains instead. */
      readonly domains: boolean;
      /** The sites instead: those that are wanted. */
      readonly sites?: SiteFilter | undefined;
      readonly json: boolean;
    }
  | {
      readonly verb: 'delete';
      readonly dir: string;
      readonly keepArchive: boolean;
      /** The user is not asked. */
      readonly yes: boolean;
      readonly json: boolean;
    }
  | {
      readonly verb: 'estimate';
      readonly pages: number;
      readonly hosts: number;
      /** The project's file. */
      readonly config?: string | undefined;
      /** `delayMs`, `adaptive`. */
      readonly options: CrawlOptions;
      /** All hosts have the same number of pages. */
      readonly even: boolean;
      readonly responseMs?: number | undefined;
      readonly pageBytes?: number | undefined;
      readonly json: boolean;
    }
  | OfUrl<'url' | 'history'>
  | {
      readonly verb: 'diff';
      readonly dir: string;
      readonly url: string;
      readonly from?: Date | undefined;
      readonly to?: Date | undefined;
      readonly json: boolean;
    }
  | {
      readonly verb: 'export';
      readonly dir: string;
      readonly format: ExportFormat;
      /** The links left out, not the URLs known. */
      readonly skipped: boolean;
      /** A file for each site in the folder `out`, of a group alone if one is given. */
      readonly bySite?: boolean;
      readonly group?: string | undefined;
      /** The items, not the URLs known. */
      readonly items?: boolean;
      /** A file instead of standard output, or a folder. Required for `wacz`, `markdown` and `llms`. */
      readonly out?: string;
      /** Documents are cut into pieces of at most this many tokens. */
      readonly chunkTokens?: number;
      /** Tables of a Parquet export; undefined: the default ones. */
      readonly tables?: readonly TableName[];
      /** The project's file, for the modules of documents. */
      readonly config?: string | undefined;
    }
  | {
      readonly verb: 'changes';
      readonly dir: string;
      /** Since the crawl began, if there is none. */
      readonly since?: Date | undefined;
    }
  | {
      readonly verb: 'send';
      readonly dir: string;
      /** The address of the destination. */
      readonly to: string;
      readonly config?: string | undefined;
      readonly json: boolean;
    }
  | {
      readonly verb: 'inlinks';
      readonly dir: string;
      readonly url: string;
      /** The texts of the links instead of the pages. */
      readonly anchors: boolean;
      readonly json: boolean;
    }
  | ({ readonly verb: 'duplicates'; readonly dir: string; readonly json: boolean } & DuplicatesAsk)
  | ({
      readonly verb: 'search';
      readonly dir: string;
      readonly config?: string | undefined;
      readonly json: boolean;
    } & SearchAsk)
  | {
      readonly verb: 'shell';
      /** None: the page is fetched. */
      readonly dir?: string;
      readonly url: string;
      /** An expression instead of the REPL. */
      readonly evaluate?: string | undefined;
      readonly config?: string;
      readonly options: CrawlOptions;
      readonly network?: NetworkFiles | undefined;
      readonly json: boolean;
    }
  | {
      readonly verb: 'read';
      readonly url: string;
      readonly config?: string;
      readonly options: CrawlOptions;
      readonly network?: NetworkFiles | undefined;
      readonly json: boolean;
    }
  | (Seeds & { readonly verb: 'add'; readonly dir: string; readonly json: boolean })
  | {
      readonly verb: 'explain';
      /** None: by the project's file and the options alone. */
      readonly dir?: string;
      readonly config?: string;
      readonly options: CrawlOptions;
      readonly url: string;
      readonly json: boolean;
    }
  | {
      readonly verb: 'report';
      readonly dir: string;
      /** Writes the report as a page of HTML to this file, too. */
      readonly html?: string;
      /** Only the links that lead nowhere. */
      readonly broken?: boolean;
      /** Only how fresh the copies are. */
      readonly changes?: boolean;
      readonly json: boolean;
    }
  | { readonly verb: 'serve'; readonly dir: string; readonly port: number }
  | {
      readonly verb: 'process';
      readonly dir: string;
      /** The project's file; where none is named, `strand.config.ts`. */
      readonly config?: string;
      readonly workers: number;
      /** A file instead of standard output. */
      readonly out?: string;
    }
  | {
      readonly verb: 'init';
      /** Undefined: the templates are listed. */
      readonly template?: TemplateName;
      readonly folder: string;
    }
  | { readonly verb: 'completion'; readonly shell: Shell }
  | {
      readonly verb: 'identity';
      readonly action: IdentityAction;
      /** The identity's file; none: the user's own. */
      readonly file?: string;
      readonly agent?: string | undefined;
      /** Days that a new key signs. */
      readonly days: number;
      /** The new key takes the place of the others now. */
      readonly atOnce: boolean;
      /** A file or folder instead of standard output. */
      readonly out?: string | undefined;
      /** The crawler's aim, in the operator's words. */
      readonly about?: string | undefined;
      readonly config?: string | undefined;
      /** `contact`, `userAgent`, `purpose`, `delayMs`. */
      readonly options: CrawlOptions;
      readonly json: boolean;
    }
  | {
      readonly verb: 'warc';
      readonly ask: { readonly what: 'check'; readonly paths: readonly string[] } | CatRecord;
      readonly json: boolean;
    };

/** The clusters to show, and the file of the sketches. */
interface DuplicatesAsk {
  readonly limit?: number | undefined;
  readonly index?: string | undefined;
}

/** The words of a search, and where to look for them. */
interface SearchAsk {
  readonly words: string;
  readonly host?: string | undefined;
  readonly language?: string | undefined;
  readonly since?: Date | undefined;
  readonly limit?: number | undefined;
  /** The file of the index. */
  readonly index?: string | undefined;
}

export const IDENTITY_ACTIONS = ['create', 'publish', 'rotate', 'page'] as const;
export type IdentityAction = (typeof IDENTITY_ACTIONS)[number];

/** Prints the record that begins at an offset of a WARC file. */
interface CatRecord {
  readonly what: 'cat';
  readonly file: string;
  readonly offset: number;
}

/** Commands that take a crawl's folder and a URL. */
type OfUrl<V> = V extends string
  ? { readonly verb: V; readonly dir: string; readonly url: string; readonly json: boolean }
  : never;

/** Commands that take a crawl's folder and nothing else. */
type OnFolder<V> = V extends string
  ? { readonly verb: V; readonly dir: string; readonly json: boolean }
  : never;

/** On a crawl of a deployed stack. */
export type StackCommand = StackAddress & StackRequest & { readonly json: boolean };

export type StackRequest =
  | (Seeds & {
      readonly verb: 'crawl';
      readonly name?: CrawlId;
      readonly dedupeFrom?: CrawlId | undefined;
      readonly config?: string;
      readonly options: CrawlOptions;
      readonly network?: NetworkFiles | undefined;
      readonly watch: boolean;
    })
  | (Seeds & { readonly verb: 'add'; readonly crawl: CrawlId })
  | {
      readonly verb: 'resume';
      readonly crawl: CrawlId;
      /** A file with the sites that the crawl has from now on. */
      readonly sitesFile?: string | undefined;
      readonly limits: RaisedLimits;
      /** Continues though the crawl began with other rules for canonical URLs. */
      readonly newUrlRules: boolean;
      readonly watch: boolean;
    }
  | { readonly verb: 'status' | 'watch' | 'pause' | 'stop'; readonly crawl: CrawlId }
  | {
      readonly verb: 'delete';
      readonly crawl: CrawlId;
      readonly archive: boolean;
      /** The user is not asked. */
      readonly yes: boolean;
      readonly watch: boolean;
    }
  | {
      readonly verb: 'push';
      readonly trustSettings: boolean;
      readonly dir: string;
      readonly name?: CrawlId | undefined;
    }
  | { readonly verb: 'pull'; readonly crawl: CrawlId; readonly dir: string }
  | {
      readonly verb: 'list';
      /** Only crawls whose names begin so, or of this state. */
      readonly prefix?: string | undefined;
      readonly state?: CrawlStatus | undefined;
    }
  | {
      readonly verb: 'hosts';
      readonly crawl: CrawlId;
      /** One host alone, in detail. */
      readonly host?: string;
      readonly cursor?: string;
      readonly limit?: number;
      /** The registrable domains instead. */
      readonly domains: boolean;
      /** The sites instead: those that are wanted. */
      readonly sites?: SiteFilter | undefined;
    }
  | { readonly verb: 'url'; readonly crawl: CrawlId; readonly url: string }
  | { readonly verb: 'history'; readonly crawl: CrawlId; readonly url: string }
  | {
      readonly verb: 'diff';
      readonly crawl: CrawlId;
      readonly url: string;
      readonly from?: Date | undefined;
      readonly to?: Date | undefined;
    }
  | { readonly verb: 'explain'; readonly crawl: CrawlId; readonly url: string }
  | {
      readonly verb: 'report';
      readonly crawl: CrawlId;
      /** Writes the report as a page of HTML to this file, too. */
      readonly html?: string | undefined;
      /** Only the links that lead nowhere. */
      readonly broken?: boolean;
      /** Only how fresh the copies are. */
      readonly changes?: boolean;
    }
  | {
      readonly verb: 'send';
      readonly crawl: CrawlId;
      readonly to: string;
      readonly config?: string | undefined;
    }
  | {
      readonly verb: 'inlinks';
      readonly crawl: CrawlId;
      readonly url: string;
      /** The texts of the links instead of the pages. */
      readonly anchors: boolean;
    }
  | ({ readonly verb: 'duplicates'; readonly crawl: CrawlId } & DuplicatesAsk)
  | ({ readonly verb: 'search'; readonly crawl: CrawlId; readonly config?: string | undefined } & SearchAsk)
  | {
      readonly verb: 'warc';
      readonly crawl: CrawlId;
      /** `files`: names of WARC files; none: all of the archive. */
      readonly ask: { readonly what: 'check'; readonly files: readonly string[] } | CatRecord;
    }
  | { readonly verb: 'changes'; readonly crawl: CrawlId; readonly since?: Date | undefined }
  | { readonly verb: 'identity'; readonly file?: string | undefined }
  | {
      readonly verb: 'export';
      readonly crawl: CrawlId;
      readonly format: ExportFormat;
      /** The links left out, not the URLs known. */
      readonly skipped: boolean;
      /** A file for each site in the folder `out`, of a group alone if one is given. */
      readonly bySite?: boolean;
      readonly group?: string | undefined;
      /** The items, not the URLs known. */
      readonly items: boolean;
      /** A file instead of standard output, or a folder. Required for `wacz`, `markdown` and `llms`. */
      readonly out?: string | undefined;
      /** Documents are cut into pieces of at most this many tokens. */
      readonly chunkTokens?: number | undefined;
      /** Tables of a Parquet export; undefined: the default ones. */
      readonly tables?: readonly TableName[] | undefined;
      /** The project's file, for the modules of documents. */
      readonly config?: string | undefined;
      /** The stack makes it, in its bucket. */
      readonly inCloud?: CloudFormat | undefined;
    }
  | {
      readonly verb: 'exports';
      readonly crawl: CrawlId;
      /** One of them alone. */
      readonly id?: string | undefined;
    };

/** The command of one verb. */
export type LocalCommandOf<V extends LocalCommand['verb']> = Extract<LocalCommand, { verb: V }>;

export const isStackCommand = (command: Command): command is StackCommand => 'stack' in command;
