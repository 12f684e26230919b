// A signing key in another process. With a KMS or an HSM, `sign` calls its API instead.
import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Signer } from 'uma-auth-vasp'

interface Waiting {
  readonly resolve: (signature: Uint8Array) => void
  readonly reject: (error: Error) => void
}

/** One process with the key, and the calls that wait for its signatures. */
interface Running {
  readonly child: ChildProcess
  readonly waiting: Map<number, Waiting>
}

/**
 * Starts the other process, and starts it again for the first signature after it has ended. A call that waits when it ends fails.
 * @param keyFile PEM file of the private key. Only the other process reads it.
 */
export function remoteKey(keyFile: string, kid?: string): Signer & { readonly close: () => void } {
  let running = start(keyFile)
  let isClosed = false
  let lastId = 0

  return {
    kid,
    sign(data) {
      return new Promise((resolve, reject) => {
        if (isClosed) return reject(ended())
        if (!running.child.connected) running = start(keyFile)
        const { child, waiting } = running
        const id = ++lastId
        waiting.set(id, { resolve, reject })
        child.send({ id, data: Buffer.from(data).toString('base64') })
      })
    },
    close() {
      isClosed = true
      if (running.child.connected) running.child.disconnect()
    },
  }
}

function start(keyFile: string): Running {
  const child = fork(fileURLToPath(new URL('./signer.mjs', import.meta.url)), [keyFile], { execArgv: [] })
  const waiting = new Map<number, Waiting>()
  child.on('message', ({ id, signature }: { readonly id: number; readonly signature: string }) => {
    waiting.get(id)?.resolve(Buffer.from(signature, 'base64'))
    waiting.delete(id)
  })
  const fail = (): void => {
    for (const { reject } of waiting.values()) reject(ended())
    waiting.clear()
  }
  child.on('exit', (code, signal) => {
    if (code !== 0) console.error(`The process with the signing key has ended (${signal ?? code}).`)
    fail()
  })
  child.on('error', fail)
  return { child, waiting }
}

const ended = (): Error => new Error('the process with the signing key has ended')
