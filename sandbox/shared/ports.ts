import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename } from 'node:path'

/** Both loopback addresses, because `localhost` may resolve to either. */
export const LOOPBACKS: readonly string[] = ['127.0.0.1', '::1']

export interface WantedPort {
  /** The variable that changes the port. */
  readonly setting: string
  readonly port: number
  /** The addresses that the process will listen on. */
  readonly hosts: readonly string[]
}

/**
 * Refuses a port that another program uses, before anything is started: that program would be taken for ours.
 * @throws Error with one line that names the port, its user if known, and the variable that changes the port.
 */
export async function requireFree({ setting, port, hosts }: WantedPort): Promise<void> {
  for (const host of hosts) {
    if (await isFree(port, host)) continue
    const holder = holderOf(port) ?? 'another program'
    throw new Error(`Port ${port} is taken by ${holder}: stop it, or set ${setting} to another port.`)
  }
}

/**
 * Refuses two settings with the same port: the second process would take the first one for another program.
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

/** Both checks, for all ports of a command. @throws Error as they do. */
export async function requireFreePorts(wanted: readonly WantedPort[]): Promise<void> {
  requireDifferent(wanted)
  for (const each of wanted) await requireFree(each)
}

/** Whether the port is free, by listening on it for a moment. */
export function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    // The server itself explains any other failure: no IPv6, a port that needs root, an address of another machine.
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/** The address at which a server that listens on `host`, or everywhere, is reached from its own machine. */
export function originHere(host: string | undefined, port: number | string): string {
  const everywhere = !host || ['0.0.0.0', '::'].includes(host)
  return `http://${everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
}

/**
 * The process that listens on a port, for a message; undefined where the system does not say, as for another user's
 * process.
 */
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
  // Modules that are loaded before a script do not identify it.
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
