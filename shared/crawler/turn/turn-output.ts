import type { ArchivedPayload, NewPayload, RevisitedPayload } from '../../core/archive/archived-payload.ts';
import {
  type EncodedCapture,
  encodeCapture,
  encodeNotModified,
  encodeRevisit,
  isRevisitable,
} from '../../core/archive/capture.ts';
import { encodeMetadata } from '../../core/archive/metadata.ts';
import type { RecordLocation } from '../../core/archive/record-location.ts';
import { encodeForms, type RenderedForms } from '../../core/archive/rendered-forms.ts';
import type { WarcMember } from '../../core/archive/warc-member.ts';
import type { RefusedHost } from '../../core/frontier/host-refusal.ts';
import type { SiteVisit } from '../../core/frontier/site-visit.ts';
import type { UrlChange } from '../../core/frontier/url-change.ts';
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import { type FetchedResponse, sentRequest } from '../../core/outcome/fetch-outcome.ts';
import type { DocumentFacts } from '../../core/parser/document.ts';
import type { UsageStatement } from '../../core/usage/usage-statement.ts';
import type { VisitState } from './page/visit-state.ts';
import type { Quarantine } from './quarantine.ts';
import type { TurnServices } from './services.ts';
import type { TurnCrawl } from './turn-crawl.ts';

/** A turn that has gathered this number of characters of items commits them, to bound its memory. */
const MAX_ITEM_CHARS = 16_000_000;

/** Where an exchange stands in the archive, and where its payload does. */
export interface ArchivedExchange {
  readonly location: RecordLocation | undefined;
  readonly payload: ArchivedPayload;
  /** WARC-Record-ID of its main record. */
  readonly recordId: string;
  /** WARC-Date. */
  readonly date: string;
}

/** Forms of a rendered page that the archive keeps beside its response. */
export type KeptForms = Pick<RenderedForms, 'html' | 'screenshot'>;

/**
 * The output of a turn besides its host's ledger: WARC records, payloads for later revisits, items of the
 * project's hooks, and what these have changed in the crawl's state.
 */
export class TurnOutput {
  readonly #services: Pick<TurnServices, 'engine' | 'records'>;
  readonly #crawl: TurnCrawl;
  readonly #quarantine: Quarantine;
  /** Payloads archived by this turn, by their digests as Latin-1. */
  readonly #payloads = new Map<string, NewPayload>();
  readonly #items: string[] = [];
  readonly #changes: string[] = [];
  #itemChars = 0;
  #hasArchived = false;
  /** Absent: no hook was called, or the hooks have a state of their own. */
  state: VisitState | undefined;

  constructor(services: Pick<TurnServices, 'engine' | 'records'>, crawl: TurnCrawl, quarantine: Quarantine) {
    this.#services = services;
    this.#crawl = crawl;
    this.#quarantine = quarantine;
  }

  /** Lines of JSON that the project's hooks gave. */
  get items(): readonly string[] {
    return this.#items;
  }

  addItems(lines: readonly string[]): void {
    for (const line of lines) {
      this.#items.push(line);
      this.#itemChars += line.length;
    }
  }

  /** Changes of pages, visits of sites, and refusals of the host, as lines of JSON. */
  get changes(): readonly string[] {
    return this.#changes;
  }

  /** Whether changes are reported to the operator's programs. */
  get takesChanges(): boolean {
    return this.#crawl.config.changeFeed === true && this.#services.engine.changes !== undefined;
  }

  /** Whether anything at all is reported to the operator's programs while the crawl goes on. */
  get takesEvents(): boolean {
    return (
      this.takesChanges || (this.#crawl.sites !== undefined && this.#services.engine.changes !== undefined)
    );
  }

  addChange(change: UrlChange): void {
    this.#changes.push(JSON.stringify(change));
  }

  addEvent(visit: SiteVisit): void {
    if (this.takesEvents) this.#changes.push(JSON.stringify(visit));
  }

  addRefusal(refused: RefusedHost): void {
    if (this.#services.engine.changes !== undefined) this.#changes.push(JSON.stringify(refused));
  }

  /** The turn is to be committed, so that its items and its changes of state take no more memory. */
  get isFull(): boolean {
    return this.#itemChars >= MAX_ITEM_CHARS || this.state?.isFull === true;
  }

  /** Appends an exchange of robots.txt. */
  async archiveRobots(response: FetchedResponse): Promise<void> {
    const { members, capture } = await this.#quarantine.watch(() =>
      encodeCapture(response, this.#services.records),
    );
    await this.#services.engine.archiveOf(this.#crawl.id).append(members, [capture]);
    this.#hasArchived = true;
  }

  /**
   * Appends the exchange of a URL: as a response, or as a revisit of a payload that is archived already, with a
   * metadata record and the forms of the page that the crawl keeps. Returns the location of its main record; durable
   * after {@link TurnOutput.makeDurable}.
   */
  async archive(
    record: UrlRecord,
    response: FetchedResponse,
    facts: DocumentFacts | undefined,
    forms?: KeptForms,
  ): Promise<ArchivedExchange> {
    const known = forms ? { ...facts, forms } : (facts ?? {});
    return this.#append(record, response, known, await this.#encode(response));
  }

  /** Encodes an exchange. `partOf`: the record of the page that made it. */
  #encode(response: FetchedResponse, partOf?: string): Promise<EncodedCapture> {
    const { engine } = this.#services;
    const records = { ...this.#services.records, ...(partOf !== undefined && { partOf }) };
    const { id, config, earlier } = this.#crawl;
    return this.#quarantine.watch(async () => {
      const payloads = config.revisits && isRevisitable(response) ? engine.payloads : undefined;
      const key = payloads && Buffer.from(response.body.sha1).toString('latin1');
      const original =
        payloads &&
        key &&
        (this.#payloads.get(key) ?? (await payloads.find(id, response.body.sha1, earlier)));
      if (original) return encodeRevisit(response, original, records);
      const whole = await encodeCapture(response, records);
      if (key) this.#payloads.set(key, whole.payload);
      return whole;
    });
  }

  /** Appends the exchanges that a page has made while it was rendered. `page`: its own exchange. */
  async archiveParts(page: ArchivedExchange, exchanges: readonly FetchedResponse[]): Promise<void> {
    const archive = this.#services.engine.archiveOf(this.#crawl.id);
    for (const response of exchanges) {
      const { members, capture } = await this.#encode(response, page.recordId);
      await archive.append(members, [capture]);
    }
  }

  /**
   * Appends the exchange of a URL whose content is archived already, as a revisit: of a 304 by what the server says,
   * of another response because it has the same payload.
   */
  async archiveAgain(
    record: UrlRecord,
    response: FetchedResponse,
    archived: RevisitedPayload,
    usage: readonly UsageStatement[],
  ): Promise<ArchivedExchange> {
    const { engine, records } = this.#services;
    const key = Buffer.from(archived.sha1).toString('latin1');
    // The index knows its record's id, too.
    const known = this.#payloads.get(key) ?? (await engine.payloads?.find(this.#crawl.id, archived.sha1));
    const original = { ...archived, ...known };
    const encoded = await this.#quarantine.watch(() =>
      response.httpStatus === 304
        ? encodeNotModified(response, original, records)
        : encodeRevisit(response, original, records),
    );
    return this.#append(record, response, { usage }, encoded);
  }

  async #append(
    record: UrlRecord,
    response: FetchedResponse,
    facts: Partial<DocumentFacts> & { readonly forms?: KeptForms | undefined },
    encoded: EncodedCapture,
  ): Promise<ArchivedExchange> {
    const { engine, records } = this.#services;
    const { id, config } = this.#crawl;
    const members: WarcMember[] = [...encoded.members];
    const notModified = response.httpStatus === 304 ? response : undefined;
    if ((config.metadata && record.kind !== 'sitemap') || notModified)
      members.push(
        encodeMetadata(
          {
            concurrentTo: encoded.responseId,
            url: response.url,
            date: encoded.date,
            via: record.via,
            hopsFromSeed: record.depth,
            fetchTimeMs: sentRequest(response) ? response.endedAt - response.startedAt : undefined,
            copiedFrom: response.cache?.kind === 'hit' ? response.cache.recordId : undefined,
            tlsError: response.tlsError,
            title: facts.title,
            usage: facts.usage,
            charset: facts.charset,
            links: facts.links,
            droppedLinks: facts.droppedLinks,
            dropCause: facts.dropCause,
            notModified,
          },
          { newId: records.newId, maxOutlinks: config.metadataLinks },
        ),
      );
    if (facts.forms) {
      const page = { url: response.url, page: encoded.responseId, date: encoded.date };
      members.push(...encodeForms({ ...facts.forms, ...page }, records.newId));
    }
    const [location] = await engine.archiveOf(id).append(members, [encoded.capture]);
    this.#hasArchived = true;
    return { location, payload: encoded.payload, recordId: encoded.responseId, date: encoded.date };
  }

  /** Resolves when all that was archived is durable, and later turns can find its payloads. */
  async makeDurable(): Promise<void> {
    const { engine } = this.#services;
    if (this.#hasArchived) await engine.archiveOf(this.#crawl.id).flush();
    if (this.#payloads.size > 0) await engine.payloads?.add(this.#crawl.id, [...this.#payloads.values()]);
  }
}
