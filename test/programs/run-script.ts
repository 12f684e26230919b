import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { scriptPath } from './script'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command of ours to its end, with this environment and this text on its standard input. */
export async function runScript(
  script: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  input = '',
): Promise<Ran> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [scriptPath(script), ...args], {
    env: { NODE_ENV: 'test', PATH, HOME, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => (out += String(chunk)))
  child.stderr.on('data', (chunk) => (err += String(chunk)))
  // A command that refuses its arguments does not read its input.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number]
  return { code, out: out.trim(), err: err.trim() }
}
