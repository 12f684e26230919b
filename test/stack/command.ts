import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface Command {
  readonly child: ChildProcess
  /** The whole output so far. */
  written(): string
  says(text: RegExp): Promise<RegExpExecArray>
  readonly code: Promise<number | null>
}

/** Runs the command of an npm script, as npm does. */
export function runCommand(args: readonly string[], env: Readonly<Record<string, string>>): Command {
  const child = spawn(process.execPath, [...nodeOptionsOf(args[0]), 'scripts/ready.mjs', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let written = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (written += chunk.toString()))
  const code = new Promise<number | null>((resolve) => child.once('close', resolve))
  const says = (text: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = text.exec(written)
        if (found !== null) resolve(found)
      }
      for (const stream of [child.stdout, child.stderr]) stream.on('data', look)
      void code.then(() => reject(new Error(`the command ended without ${String(text)} and printed:\n${written}`)))
      look()
    })
  return { child, written: () => written, says, code }
}

/** The options that the npm script of this file passes to Node. */
function nodeOptionsOf(file = ''): string[] {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  const script = Object.values(scripts).find((each) => each.endsWith(` scripts/ready.mjs ${file}`))
  return script?.split(' ').filter((word) => word.startsWith('--')) ?? []
}
