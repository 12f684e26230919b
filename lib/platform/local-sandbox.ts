import type { Settings } from './config'

/** Whether this is a sandbox for one machine (`SANDBOX_TOOLS=on`): with the sandbox tools, and without a team password. */
export function isLocalSandbox({
  sandboxTools,
  teamPassword,
}: Pick<Settings, 'sandboxTools' | 'teamPassword'>): boolean {
  return sandboxTools && teamPassword === undefined
}

/** Names of this machine alone. A name such as `vasp.internal` may be that of a server for a team. */
const OWN_MACHINE = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Whether browsers reach the server only on the machine that it runs on, whatever its tools and passwords are. */
export function isOnOwnMachine({ publicOrigin }: Pick<Settings, 'publicOrigin'>): boolean {
  return OWN_MACHINE.test(new URL(publicOrigin).hostname)
}
