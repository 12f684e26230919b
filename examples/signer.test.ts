import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTokens, importKeys } from 'uma-auth-vasp'
import { afterAll, describe, expect, it } from 'vitest'
import { newKeyPair } from '@/packages/uma-auth-vasp/test/key-pair'
import { remoteKey } from './signer/remote-key'

const folder = mkdtempSync(join(tmpdir(), 'signer-'))
const pair = newKeyPair()
const keyFile = join(folder, 'private.pem')
writeFileSync(keyFile, pair.privatePem)
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
  })
})
