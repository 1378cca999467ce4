/** Which deployed stack. Credentials: those that the AWS SDK finds (environment, profile). */
export interface StackAddress {
  /**
   * The stack's name in CloudFormation; of a construct its path (`MyStack/News`), or the parameter that holds
   * its settings (`/strand/news`).
   */
  readonly stack: string;
  /**
   * The region that the stack is in.
   * @default as the AWS SDK finds it: `AWS_REGION`, or the profile
   */
  readonly region?: string;
}

/** A crawl of a deployed stack. */
export interface StackCrawlAddress extends StackAddress {
  /** The crawl's name. */
  readonly crawl: string;
}
