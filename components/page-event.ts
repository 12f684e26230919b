import { cache } from 'react'

/** Of the page that is being rendered. */
const ofPage = cache((): { newestId: bigint | undefined } => ({ newestId: undefined }))

/** The newest event before the page read anything. Undefined without the sandbox tools: there is no stream. */
export function pageEventId(): bigint | undefined {
  return ofPage().newestId
}

/** `requireUser` calls it before the page reads anything. */
export function setPageEventId(newestId: bigint | undefined): void {
  ofPage().newestId = newestId
}
