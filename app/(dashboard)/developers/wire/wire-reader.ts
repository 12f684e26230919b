import { notFound } from 'next/navigation'
import { requireUser } from '@/app/(dashboard)/require-user'
import { isPastTeamGate } from '@/lib/accounts/session'
import { application } from '@/lib/backend/application'
import { eventReaderOf, type EventReader } from '@/lib/events/queries'

/** The signed-in user as a reader of events; 404 without the sandbox tools, and before the team password. */
export async function requireWireReader(): Promise<EventReader> {
  const user = await requireUser()
  const { settings } = application()
  if (!settings.sandboxTools || !(await isPastTeamGate(application()))) notFound()
  return eventReaderOf(settings, user.username)
}
