import { isPastTeamGate } from '@/lib/accounts/sessions/current-user'
import type { Application } from '@/lib/backend/application'

/** Whether this browser may use the pages of the sandbox tools: they are on, and it has passed the team gate. */
export async function hasSandboxTools(app: Application): Promise<boolean> {
  return app.settings.sandboxTools && (await isPastTeamGate(app))
}
