/** Memory of the function that renders pages, in MB. Its browser has used 250 MB with usual pages, and is ended at 700 MB. */
export const RENDERER_MEMORY_MB = 1024;
/** The function's time-out: longer than any page may take. */
export const RENDERER_TIMEOUT_S = 30;

/** The least time-out of workers that render: with less, and hooks, they have no time for hosts. */
export const LEAST_RENDERING_WORKER_S = 120;

/** Time on x86_64 costs a quarter more than on arm64 (aws.amazon.com/lambda/pricing), by which the meter counts. */
export const X86_FACTOR = 1.25;
/** Rounds and milliseconds of a rendered page, by `npm run bench -- render-stack`: the quickest rendering of each page. */
export const RENDERED_PAGE = { rounds: 2.3, ms: 2300 };
