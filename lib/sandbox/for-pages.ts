import type { PinnedRates } from './pinned-rates'

/** What `openSandboxTools` keeps for the pages of the tools. This file loads none of the tools, because pages are loaded without them too. */
export interface ForPages {
  readonly pinnedRates: PinnedRates
}

/** The pinned rates, for their page; undefined without the sandbox tools. */
export function pinnedRatesOf({
  forToolPages,
}: {
  readonly forToolPages?: object | undefined
}): PinnedRates | undefined {
  return (forToolPages as ForPages | undefined)?.pinnedRates
}
