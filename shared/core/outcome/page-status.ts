/**
 * Whether the body of a response with this status is the page that was asked for, whole: also one that a proxy has changed (203),
 * or that says that it was made just now (201). 202 says that the page is yet to be made, 206 that it is a part.
 */
export const isPageStatus = (httpStatus: number | undefined): httpStatus is number =>
  httpStatus === 200 || httpStatus === 203 || httpStatus === 201;
