/** Where Athena writes the results of queries within the bucket. */
export const QUERY_RESULTS_FOLDER = 'query-results';
