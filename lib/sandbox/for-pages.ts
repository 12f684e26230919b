import type { RateDesk } from './pinned-rates'

/** What `openSandboxTools` keeps for the pages of the tools. This file loads none of the tools, because pages are loaded without them too. */
export interface ForPages {
  readonly rateDesk: RateDesk
}

/** The desk of pinned rates, for its page; undefined without the sandbox tools. */
export function rateDeskOf({ forToolPages }: { readonly forToolPages?: object | undefined }): RateDesk | undefined {
  return (forToolPages as ForPages | undefined)?.rateDesk
}
