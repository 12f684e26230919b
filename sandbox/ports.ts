import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename } from 'node:path'

/** Both loopbacks, because `localhost` may mean either. */
export const LOOPBACKS: readonly string[] = ['127.0.0.1', '::1']

export interface WantedPort {
  /** The variable that moves it. */
  readonly setting: string
  readonly port: number
  /** The addresses it will be listened on. */
  readonly hosts: readonly string[]
}

/**
 * Refuses a port that something else listens on, before anything is started: whoever answers there would be taken for us.
 * @throws Error with one line that names the port, its holder where that can be told, and the variable that moves it.
 */
export async function requireFree({ setting, port, hosts }: WantedPort): Promise<void> {
  for (const host of hosts) {
    if (await isFree(port, host)) continue
    const holder = holderOf(port) ?? 'another program'
    throw new Error(`Port ${port} is taken by ${holder}: stop that one, or set ${setting} to another port.`)
  }
}

/**
 * Refuses two settings of one port, of which the one that is listened on later would take its own neighbour for a stranger.
 * @throws Error with one line that names both.
 */
export function requireDifferent(wanted: readonly WantedPort[]): void {
  const settings = new Map<number, string>()
  for (const { setting, port } of wanted) {
    const other = settings.get(port)
    if (other !== undefined) throw new Error(`${other} and ${setting} are both ${port}: give each a port of its own.`)
    settings.set(port, setting)
  }
}

/** Both checks, for all that a command will listen on. @throws Error as they do. */
export async function requireFreePorts(wanted: readonly WantedPort[]): Promise<void> {
  requireDifferent(wanted)
  for (const each of wanted) await requireFree(each)
}

/** Whether nobody listens there, by listening for a moment. */
export function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    // Any other failure is the server's own to explain: no IPv6, a port that needs root, a foreign address.
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/** Where a server that listens on `host`, or everywhere, is found from its own machine. */
export function originHere(host: string | undefined, port: number | string): string {
  const everywhere = !host || ['0.0.0.0', '::'].includes(host)
  return `http://${everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Who listens on a port, for a message; undefined where the system does not tell, as with another user's process. */
export function holderOf(port: number): string | undefined {
  try {
    return process.platform === 'linux' ? holderOnLinux(port) : holderByLsof(port)
  } catch {
    return undefined
  }
}

const LISTENING = '0A'

function holderOnLinux(port: number): string | undefined {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const sockets = new Set(
    ['/proc/net/tcp', '/proc/net/tcp6']
      .flatMap((path) => readFileSync(path, 'utf8').split('\n').slice(1))
      .map((line) => line.trim().split(/\s+/))
      .filter(([, address, , state]) => address?.endsWith(wanted) && state === LISTENING)
      .map((fields) => `socket:[${fields[9]}]`),
  )
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && hasOneOf(sockets, name))
  if (pid === undefined) return undefined
  const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  // What is loaded before a script says nothing about what it is.
  const shown = args.filter((arg, index) => arg !== '--import' && args[index - 1] !== '--import')
  return describe(pid, [basename(program), ...shown].join(' ').trim())
}

function hasOneOf(sockets: ReadonlySet<string>, pid: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => sockets.has(readlinkSync(`/proc/${pid}/fd/${fd}`)))
  } catch {
    // Another user's process, or one that has just ended.
    return false
  }
}

function holderByLsof(port: number): string | undefined {
  const { stdout } = spawnSync('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], { encoding: 'utf8' })
  const pid = /^p(\d+)$/m.exec(stdout)?.[1]
  return pid === undefined ? undefined : describe(pid, /^c(.+)$/m.exec(stdout)?.[1] ?? '')
}

const MAX_COMMAND_LENGTH = 60

function describe(pid: string, command: string): string {
  const short = command.length > MAX_COMMAND_LENGTH ? `${command.slice(0, MAX_COMMAND_LENGTH)}…` : command
  return short === '' ? `process ${pid}` : `process ${pid} (${short})`
}
