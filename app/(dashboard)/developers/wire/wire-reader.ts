import { requireSandboxTools } from '@/app/sandbox/tool-page'
import { application } from '@/lib/backend/application'
import { eventReaderOf, type EventReader } from '@/lib/events/queries'

/** The signed-in user as a reader of events; 404 without the sandbox tools, and before the team password. */
export async function requireWireReader(): Promise<EventReader> {
  const user = await requireSandboxTools()
  return eventReaderOf(application().settings, user.username)
}
