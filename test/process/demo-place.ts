import { rmSync } from 'node:fs'
import { signIn } from '../../sandbox/shared/fetch-token'
import { LOOPBACKS, requireFree } from '../../sandbox/shared/ports'
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

/** With a migrated database, or in the given folder. */
export async function openDemoPlace(ownFolder?: string): Promise<DemoPlace> {
  const commands: Command[] = []
  const dataDir = ownFolder ?? (await migratedDataDir())
  const folders = [dataDir]
  const [vaspPort, gatewayPort] = [await freePort(), await freePort()]
  const [relayPort, appPort, southbankPort] = [await freePort(), await freePort(), await freePort()]
  const env = {
    DATA_DIR: dataDir,
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
    demo: (...args) => run(['sandbox/demo/demo.ts', ...args]),
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

/** Opens each page of the demo that needs no further step, signed in at both VASPs. @throws Error for any answer but 200. */
export async function visitPages({ vaspPort, southbankPort, gatewayPort, appPort, env }: DemoPlace): Promise<void> {
  const [vasp, southbank] = [`http://localhost:${vaspPort}`, `http://localhost:${southbankPort}`]
  const [gateway, shop] = [`http://localhost:${gatewayPort}`, `http://localhost:${appPort}`]
  const user = { username: 'alice', password: env.SANDBOX_PASSWORD ?? '' }
  const here = await signIn({ vaspOrigin: vasp, instance: 'foobank', ...user })
  const there = await signIn({ vaspOrigin: southbank, instance: 'southbank', ...user })
  const own = ['', '/wallets', '/wallets/USD', '/wallets/receive', '/wallets/send', '/connections', '/openapi.json']
  for (const path of own) {
    await visit(vasp + path, here)
    await visit(southbank + path, there)
  }
  for (const url of [`${vasp}/login`, gateway, `${gateway}/login`, shop, `${shop}/wallet`]) await visit(url)
}

async function visit(url: string, Cookie = ''): Promise<void> {
  const response = await fetch(url, { headers: { Cookie } })
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`)
}
