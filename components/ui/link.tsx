import type { ComponentProps } from 'react'

/**
 * A link to a page of this site. `LinkNavigation` opens the page without a new document. The page is not fetched before it is opened:
 * every page is rendered for its request, and each refresh of a live page would fetch the pages behind its links again. So the link
 * needs no component in the browser, which a row of a list would pay for.
 */
export function Link({ children, ...link }: ComponentProps<'a'> & { readonly href: string }) {
  return (
    <a data-page-link="" {...link}>
      {children}
    </a>
  )
}
