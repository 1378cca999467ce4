/**
 * The module `strand-crawler` in the bundle of a worker on a stack: the exports that a project's file needs
 * there, and none that only programs call. So the bundle stays as small as without a project's file.
 */

export { StorageFailed } from '../shared/core/base/storage-failed.ts';
export { CrawlExists, FolderInUse, NoContact, NoCrawl } from '../shared/core/crawl/crawl-errors.ts';
export { InvalidConfig } from '../shared/core/crawl/invalid-config.ts';
export { ControlError } from '../shared/services/control/control.ts';
export * from '../shared/services/project/project.ts';
export { verifyWebhook } from '../shared/services/webhook/signature.ts';
export { NotOnStack, StackRefused, StackUnavailable } from './stack/stack-errors.ts';

const refuse = (name: string) => (): never => {
  throw new Error(`${name} cannot be called in a worker of a stack: call it in a program of your own`);
};

export const anchorsOf = refuse('anchorsOf');
export const checkWarc = refuse('checkWarc');
export const deleteCrawl = refuse('deleteCrawl');
export const estimateSite = refuse('estimateSite');
export const listCrawls = refuse('listCrawls');
export const mapSite = refuse('mapSite');
export const openCrawl = refuse('openCrawl');
export const openPages = refuse('openPages');
export const processCrawl = refuse('processCrawl');
export const pullCrawl = refuse('pullCrawl');
export const pushCrawl = refuse('pushCrawl');
export const readCdxj = refuse('readCdxj');
export const readItems = refuse('readItems');
export const readPage = refuse('readPage');
export const readWarc = refuse('readWarc');
export const resumeCrawl = refuse('resumeCrawl');
export const serveCrawl = refuse('serveCrawl');
export const startCrawl = refuse('startCrawl');
