import type * as childProcess from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTokens, importKeys } from 'uma-auth-vasp'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { newKeyPair } from '@/packages/uma-auth-vasp/test/key-pair'
import { remoteKey } from './signer/remote-key'

const folder = mkdtempSync(join(tmpdir(), 'signer-'))
const pair = newKeyPair()
const keyFile = join(folder, 'private.pem')
writeFileSync(keyFile, pair.privatePem)
/** The processes that the example has started. */
const children: childProcess.ChildProcess[] = []
vi.mock('node:child_process', async (load) => {
  const real = await load<typeof childProcess>()
  return {
    ...real,
    fork: (...given: Parameters<typeof real.fork>) => {
      const child = real.fork(...given)
      children.push(child)
      return child
    },
  }
})
beforeEach(() => {
  vi.spyOn(console, 'error').mockReturnValue()
  children.length = 0
})
afterAll(() => rmSync(folder, { recursive: true }))

const subject = (id: string) => ({ id, userId: 'alice', address: '$alice@bank.example' })
const clock = { now: () => new Date() }

describe('the example of a key in another process', () => {
  it('issues tokens at once that this process can verify, and none when the other process has ended', async () => {
    const { verification } = await importKeys({ publicKey: pair.publicPem })
    const signing = remoteKey(keyFile, 'tokens')
    const tokens = createTokens({ keys: { signing, verification }, domain: 'bank.example', clock })
    const issued = await Promise.all(['a', 'b', 'c'].map((id) => tokens.issueLogin(subject(id))))
    const found = await Promise.all(issued.map(({ token }) => tokens.verify(token)))
    expect(found.map((claims) => claims?.id)).toEqual(['a', 'b', 'c'])

    const last = tokens.issueLogin(subject('d'))
    signing.close()
    await last.catch(() => undefined)
    await expect(tokens.issueLogin(subject('e'))).rejects.toThrow('the process with the signing key has ended')
    expect(children).toHaveLength(1)
  })

  it('starts the other process again, once, for the next signatures after it has ended', async () => {
    const signing = remoteKey(keyFile)
    const sign = (text: string) => signing.sign(new TextEncoder().encode(text))
    expect(await sign('a')).toHaveLength(64)
    for (let end = 0; end < 2; end++) {
      const child = children.at(-1)
      child?.kill('SIGSTOP')
      const waiting = sign('b')
      child?.kill('SIGKILL')
      await expect(waiting).rejects.toThrow('the process with the signing key has ended')
      const signatures = await Promise.all([sign('c'), sign('d')])
      expect(signatures.map(({ length }) => length)).toEqual([64, 64])
    }
    expect(children).toHaveLength(3)
    expect(vi.mocked(console.error).mock.calls.flat()).toEqual(
      Array.from({ length: 2 }, () => 'The process with the signing key has ended (SIGKILL).'),
    )
    signing.close()
  })

  it('signs again when a key file that was missing is back', async () => {
    const away = join(folder, 'away.pem')
    renameSync(keyFile, away)
    const signing = remoteKey(keyFile)
    for (let attempt = 0; attempt < 3; attempt++)
      await expect(signing.sign(new Uint8Array(8))).rejects.toThrow('has ended')
    renameSync(away, keyFile)
    expect(await signing.sign(new Uint8Array(8))).toHaveLength(64)
    expect(children).toHaveLength(4)
    const end = once(children.at(-1) as childProcess.ChildProcess, 'exit')
    signing.close()
    await end
  })
})
