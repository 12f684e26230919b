import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { missingPythonSdk, partyPython } from './python-sdk'

/** How a VASP publishes its public keys. */
export type Keys = 'raw' | 'certificates'

/** A message that the VASP received: its kind, and what it says. */
export type Seen = Readonly<Record<string, unknown>>

/** A VASP on the Python SDK, as a process (`python/vasp.py`). */
export interface PythonParty {
  readonly domain: string
  /** Carries out an order, and returns what the VASP reports. @throws Error with its reason. */
  order(path: 'send' | 'pay' | 'invoice', what: unknown): Promise<Record<string, unknown>>
  /** The messages that it has received and verified, in their order. */
  seen(): Promise<readonly Seen[]>
  stop(): Promise<void>
}

const POLL_MS = 50

export async function startPythonParty(port: number, nodeOrigin: string, keys: Keys): Promise<PythonParty> {
  const missing = missingPythonSdk()
  if (missing !== undefined) throw new Error(missing)
  const child = spawn(partyPython(), ['test/parties/python/vasp.py', String(port), nodeOrigin, keys], {
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const closed = once(child, 'close')
  const origin = `http://localhost:${port}`
  while (!(await answers(`${origin}/.well-known/lnurlpubkey`))) {
    if (child.exitCode !== null) throw new Error(`The VASP on the Python SDK ended: ${errors}`)
    await sleep(POLL_MS)
  }
  const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const answer = await fetch(`${origin}/test/${path}`, init)
    const json = (await answer.json()) as { reason?: string }
    if (answer.status !== 200) throw new Error(json.reason)
    return json
  }
  return {
    domain: `localhost:${port}`,
    order: async (path, what) => (await ask(path, { method: 'POST', body: JSON.stringify(what) })) as never,
    seen: async () => (await ask('seen')) as Seen[],
    async stop() {
      child.kill()
      await closed
    },
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok
  } catch {
    return false
  }
}
