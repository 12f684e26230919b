// A signing key in another process. With a KMS or an HSM, `sign` calls its API instead.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Signer } from 'uma-auth-vasp'

interface Waiting {
  readonly resolve: (signature: Uint8Array) => void
  readonly reject: (error: Error) => void
}

/** @param keyFile PEM file of the private key. Only the other process reads it. */
export function remoteKey(keyFile: string, kid?: string): Signer & { readonly close: () => void } {
  const child = fork(fileURLToPath(new URL('./signer.mjs', import.meta.url)), [keyFile], { execArgv: [] })
  const waiting = new Map<number, Waiting>()
  let lastId = 0

  child.on('message', ({ id, signature }: { readonly id: number; readonly signature: string }) => {
    waiting.get(id)?.resolve(Buffer.from(signature, 'base64'))
    waiting.delete(id)
  })
  const fail = (): void => {
    for (const { reject } of waiting.values()) reject(new Error('the process with the signing key has ended'))
    waiting.clear()
  }
  child.on('exit', fail).on('error', fail)

  return {
    kid,
    sign(data) {
      return new Promise((resolve, reject) => {
        if (!child.connected) return reject(new Error('the process with the signing key has ended'))
        const id = ++lastId
        waiting.set(id, { resolve, reject })
        child.send({ id, data: Buffer.from(data).toString('base64') })
      })
    },
    close: () => void child.kill(),
  }
}
