import type { Metadata } from 'next'
import { visibleText } from '@/lib/platform/visible-text'

const LONGEST_SUBJECT = 60
const SHORT_ID = 8

/**
 * The title of a page about one thing, so that tabs can be told apart: "Invoice: lunch", or "Invoice 1a2b3c4d" without a text to show. A
 * page that throws `notFound` in `generateMetadata` gets the title of `not-found.tsx`.
 */
export function titleOf(kind: string, id: string, subject?: string | null): Metadata {
  const shown = visibleText(subject)
  return { title: shown === undefined ? `${kind} ${id.slice(0, SHORT_ID)}` : `${kind}: ${cut(shown)}` }
}

function cut(text: string): string {
  const characters = Array.from(text.slice(0, 4 * LONGEST_SUBJECT))
  return characters.length <= LONGEST_SUBJECT ? text : `${characters.slice(0, LONGEST_SUBJECT).join('')}…`
}
