/** The element that a link with this fragment brings into view and gives the keyboard to. */
export const QUESTION = 'question'

/** What is asked about one connection before it is done. */
export type ConnectionQuestion = 'rename' | 'revoke'

type AskedQuestion =
  | { readonly about: ConnectionQuestion; readonly of: string }
  | { readonly about: 'revoke-today'; readonly of?: undefined }

/** Where an entry stands on the page. */
export function anchorOf(id: string): string {
  return `connection-${id}`
}

/** The page with the question open; the fragment puts the keyboard there. */
export function askAbout(about: ConnectionQuestion, id: string): string {
  return `/connections?${about}=${encodeURIComponent(id)}#${QUESTION}`
}

export function askAboutToday(): string {
  return `/connections?revoke-today#${QUESTION}`
}

/** The question that the address asks, if any. One at a time: the first of these that is there. */
export function readQuestion(
  params: Readonly<Record<string, string | string[] | undefined>>,
): AskedQuestion | undefined {
  if (params['revoke-today'] !== undefined) return { about: 'revoke-today' }
  for (const about of ['revoke', 'rename'] as const) {
    const of = params[about]
    if (typeof of === 'string') return { about, of }
  }
  return undefined
}
