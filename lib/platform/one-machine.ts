import type { Settings } from './config'

/** Whether this is a sandbox for one machine (`SANDBOX_TOOLS=on`): with the sandbox tools, and without a team password. */
export function isForOneMachine({
  sandboxTools,
  teamPassword,
}: Pick<Settings, 'sandboxTools' | 'teamPassword'>): boolean {
  return sandboxTools && teamPassword === undefined
}
