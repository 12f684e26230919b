import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { requireUser } from '@/app/(dashboard)/require-user'
import { hasSandboxTools } from '@/app/has-sandbox-tools'
import type { CurrentUser } from '@/lib/accounts/sessions/current-user'
import { application } from '@/lib/backend/application'

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
