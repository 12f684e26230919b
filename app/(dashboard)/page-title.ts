import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { hasSandboxTools } from '@/app/sandbox-form'
import type { CurrentUser } from '@/lib/accounts/session'
import { application } from '@/lib/backend/application'
import { visibleText } from '@/lib/platform/visible-text'
import { requireUser } from './require-user'

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

/** The signed-in user of a page of the sandbox tools; 404 without them and before the team password. */
export async function requireSandboxTools(): Promise<CurrentUser> {
  const user = await requireUser()
  if (!(await hasSandboxTools(application()))) notFound()
  return user
}

/** `generateMetadata` of such a page. */
export function toolsTitle(title: string): () => Promise<Metadata> {
  return async () => {
    await requireSandboxTools()
    return { title }
  }
}
