import { rmSync } from 'node:fs'
import { LOOPBACKS, requireFree } from '../../sandbox/ports'
import { emptyDataDir } from '../databases/embedded'
import { migratedDataDir } from '../databases/migrated'
import { freePort } from '../programs/free-port'
import { runCommand, type Command } from '../stack/command'

/** The folder, ports and settings of one demo, and what is started there. */
export interface DemoPlace {
  readonly env: Readonly<Record<string, string>>
  readonly vaspPort: number
  readonly gatewayPort: number
  readonly appPort: number
  readonly southbankPort: number
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Command
  demo(...args: string[]): Command
  /** Another empty folder. */
  newFolder(): string
  /** Deletes this folder too, in the end. */
  keep(folder: string): string
  portsAreFree(): Promise<boolean>
  close(): Promise<void>
}

/** The four lines that a demo prints when it is ready. */
export const FOUR_LINES = /^ {2}Open .*\n {2}Sign in .*\n {2}API .*\n {2}Gateway .*$/m

export async function openDemoPlace(): Promise<DemoPlace> {
  const commands: Command[] = []
  const folders = [await migratedDataDir()]
  const [vaspPort, gatewayPort] = [await freePort(), await freePort()]
  const [relayPort, appPort, southbankPort] = [await freePort(), await freePort(), await freePort()]
  const env = {
    DATA_DIR: folders[0] ?? '',
    PORT: String(vaspPort),
    GATEWAY_PORT: String(gatewayPort),
    RELAY_PORT: String(relayPort),
    APP_PORT: String(appPort),
    SOUTHBANK_PORT: String(southbankPort),
    SOUTHBANK_GATEWAY_PORT: String(await freePort()),
    VASP_NAME: 'Foobank',
    SANDBOX_PASSWORD: 'a word of our own',
  }
  const run = (args: readonly string[], given: Readonly<Record<string, string>> = env): Command => {
    const command = runCommand(args, given)
    commands.push(command)
    return command
  }
  const keep = (folder: string): string => {
    folders.push(folder)
    return folder
  }
  return {
    env,
    vaspPort,
    gatewayPort,
    appPort,
    southbankPort,
    run,
    demo: (...args) => run(['sandbox/demo.ts', ...args]),
    newFolder: () => keep(emptyDataDir()),
    keep,
    async portsAreFree() {
      try {
        for (const port of [vaspPort, gatewayPort, relayPort, appPort, southbankPort])
          await requireFree({ setting: 'PORT', port, hosts: LOOPBACKS })
        return true
      } catch {
        return false
      }
    },
    async close() {
      for (const { child } of commands) child.kill('SIGKILL')
      await Promise.all(commands.map(({ code }) => code))
      for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    },
  }
}
