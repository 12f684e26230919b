import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { npubEncode } from 'nostr-tools/nip19'
import { finalizeEvent, generateSecretKey, getPublicKey } from 'nostr-tools/pure'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { systemClock } from '../platform/clock'
import { makeAppNames } from './app-names'
import { readIdentity } from './identity-event'

const secret = generateSecretKey()
const key = getPublicKey(secret)
const clientId = `${npubEncode(key)} ws://elsewhere.example`

interface Changes {
  readonly kind?: number
  readonly createdAt?: number
  readonly by?: Uint8Array
}
const identity = (content: unknown, { kind = 13_195, createdAt = 1_000, by = secret }: Changes = {}) =>
  // A copy, because the library marks the events that it has signed.
  JSON.parse(
    JSON.stringify(
      finalizeEvent(
        {
          kind,
          created_at: createdAt,
          tags: [],
          content: typeof content === 'string' ? content : JSON.stringify(content),
        },
        by,
      ),
    ),
  ) as Record<string, unknown>

describe('readIdentity', () => {
  it('reads the name of an identity that the app has signed', () => {
    expect(readIdentity(identity({ name: ' Tern & Quill ' }), key)).toEqual({
      name: 'Tern & Quill',
      createdAtSeconds: 1_000,
    })
    expect(readIdentity(identity({ name: '', display_name: 'Tern' }), key)?.name).toBe('Tern')
  })

  it('cuts a long name, and removes what nobody sees', () => {
    expect(readIdentity(identity({ name: `\u202E${'a'.repeat(100)}` }), key)?.name).toHaveLength(79)
  })

  const right = identity({ name: 'Tern' })
  it.each([
    ['of another author', identity({ name: 'Tern' }, { by: generateSecretKey() })],
    ['of another kind', identity({ name: 'Tern' }, { kind: 0 })],
    ['with another content', { ...right, content: '{"name":"Bank"}' }],
    ['with another time', { ...right, created_at: 2_000 }],
    [
      'with a wrong signature',
      { ...right, sig: String(right.sig).replace(/^./, (first) => (first === '0' ? '1' : '0')) },
    ],
    ['without a signature', { ...right, sig: undefined }],
    ['without a name', identity({ about: 'Tern' })],
    ['with a name that is no text', identity({ name: 7 })],
    ['whose content is no JSON', identity('Tern')],
    ['that is no event', 'Tern'],
    ['that is null', null],
  ])('refuses an identity %s', (_, event) => {
    expect(readIdentity(event, key)).toBeUndefined()
  })

  it('refuses a key that is no point of the curve', () => {
    const nobody = 'f'.repeat(64)
    expect(readIdentity({ ...right, pubkey: nobody }, nobody)).toBeUndefined()
  })
})

describe('makeAppNames', () => {
  let answer: (send: (message: unknown) => void, id: string, filter: unknown) => void
  let asked: unknown[]
  const server = createServer()
  const sockets = new WebSocketServer({ server })
  let relay: string
  beforeEach(async () => {
    asked = []
    if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    relay = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
    sockets.removeAllListeners('connection')
    sockets.on('connection', (socket) =>
      socket.on('message', (data) => {
        const [, id, filter] = JSON.parse((data as Buffer).toString()) as [string, string, unknown]
        asked.push(filter)
        answer((message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)), id, filter)
      }),
    )
  })
  afterEach(() => sockets.clients.forEach((socket) => socket.terminate()))

  it('knows the name after the lookup that the first question begins', async () => {
    answer = (send, id) => {
      send(['EVENT', id, identity({ name: 'Old' }, { createdAt: 1 })])
      send(['EVENT', id, identity({ name: 'Tern & Quill' }, { createdAt: 2 })])
      send(['EVENT', id, identity({ name: 'Forger' }, { by: generateSecretKey(), createdAt: 3 })])
      send(['EOSE', id])
    }
    const names = makeAppNames([relay, 'ws://127.0.0.1:1'], systemClock)
    expect(names.nameOf(clientId)).toBeUndefined()
    await vi.waitFor(() => expect(names.nameOf(clientId)).toBe('Tern & Quill'))
    expect(asked).toEqual([{ authors: [key], kinds: [13_195], limit: 1 }])
  })

  it.each([
    ['text that is no JSON', 'hello'],
    ['too long a message', 'x'.repeat(100_000)],
    ['an object', {}],
  ])('ends the lookup after %s, and asks once', async (_, message) => {
    answer = (send) => send(message)
    const names = makeAppNames([relay], systemClock)
    names.nameOf(clientId)
    await vi.waitFor(() => expect(asked).toHaveLength(1))
    await vi.waitFor(() => expect(sockets.clients.size).toBe(0))
    expect(names.nameOf(clientId)).toBeUndefined()
    expect(asked).toHaveLength(1)
  })

  it('stops reading a relay that sends more than ten messages', async () => {
    answer = (send, id) => {
      for (let n = 0; n < 11; n += 1) send(['EVENT', id, {}])
    }
    makeAppNames([relay], systemClock).nameOf(clientId)
    await vi.waitFor(() => expect(asked).toHaveLength(1))
    await vi.waitFor(() => expect(sockets.clients.size).toBe(0))
  })

  it.each([null, 'npm run token', ''])('asks no relay about %j', (id) => {
    expect(makeAppNames([relay], systemClock).nameOf(id)).toBeUndefined()
    expect(asked).toEqual([])
  })
})
