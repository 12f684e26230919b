import { text } from 'node:stream/consumers'
import type { ReactNode } from 'react'
import { prerenderToNodeStream } from 'react-dom/static'

/** The HTML of a page with everything that it waits for, without the comments between its texts. */
export async function renderPage(page: ReactNode): Promise<string> {
  const { prelude } = await prerenderToNodeStream(page)
  return (await text(prelude)).replaceAll(/<!--.*?-->/g, '')
}
