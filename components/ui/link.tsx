import NextLink from 'next/link'
import type { ComponentProps } from 'react'

/**
 * A link to a page of this site. The page is not fetched before it is opened: every page is rendered for its request, and each refresh
 * of a live page would fetch the pages behind its links again.
 */
export function Link(props: Omit<ComponentProps<typeof NextLink>, 'prefetch'>) {
  return <NextLink {...props} prefetch={false} />
}
