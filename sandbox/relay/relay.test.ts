import { finalizeEvent, generateSecretKey, type EventTemplate, type NostrEvent } from 'nostr-tools/pure'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { EventStore } from './event-store'
import { parseFilter } from './filter'
import { Client, Hub, LIMITS } from './hub'
import { startRelay, type RunningRelay } from './server'

const NOW = 1_800_000_000
const key = generateSecretKey()
/** An event as it arrives: without the mark that nostr-tools adds to verified events. */
const sign = (template: Partial<EventTemplate> = {}, by = key): NostrEvent =>
  JSON.parse(
    JSON.stringify(finalizeEvent({ kind: 1, created_at: NOW, tags: [], content: 'hello', ...template }, by)),
  ) as NostrEvent
const talk = (
  hub = new Hub(() => NOW),
): {
  said: unknown[][]
  say: (...message: unknown[]) => unknown[] | undefined
  raw: (text: string) => unknown[] | undefined
} => {
  const said: unknown[][] = []
  const client = new Client((text) => said.push(JSON.parse(text) as unknown[]))
  hub.join(client)
  const raw = (text: string): unknown[] | undefined => {
    hub.receive(client, text)
    return said.at(-1)
  }
  return { said, raw, say: (...message) => raw(JSON.stringify(message)) }
}

describe('publishing', () => {
  it('accepts a signed event, stores it, and returns it to later requests', () => {
    const { say, said } = talk()
    const event = sign()
    expect(say('EVENT', event)).toEqual(['OK', event.id, true, ''])
    expect(say('EVENT', event)).toEqual(['OK', event.id, true, 'duplicate: already stored'])
    say('REQ', 'a', { ids: [event.id] })
    expect(said.slice(-2)).toEqual([
      ['EVENT', 'a', event],
      ['EOSE', 'a'],
    ])
  })

  it.each([
    ['changed content', { content: 'other' }],
    ['a wrong signature', { sig: 'ab'.repeat(64) }],
    ['another author', { pubkey: 'ab'.repeat(32) }],
    ['a number for content', { content: 5 }],
    ['malformed tags', { tags: [['p', 5]] }],
    ['a kind beyond the range', { kind: 70_000 }],
    ['an id in capitals', { id: 'AB'.repeat(32) }],
    ['no signature', { sig: undefined }],
  ])('rejects %s', (_, change) => {
    expect(
      talk()
        .say('EVENT', { ...sign(), ...change })
        ?.slice(2),
    ).toEqual([false, expect.stringMatching(/^invalid: /)])
  })

  it('rejects an event that has expired or is dated in the future', () => {
    const { say } = talk()
    expect(say('EVENT', sign({ tags: [['expiration', String(NOW)]] }))?.[2]).toBe(false)
    expect(say('EVENT', sign({ created_at: NOW + 3_600 }))?.[2]).toBe(false)
    expect(say('EVENT', sign({ tags: [['expiration', 'never']] }))?.[2]).toBe(true)
  })

  it.each([13_194, 13_195, 0])(
    'keeps the newest event of kind %i of an author, whatever the order of arrival',
    (kind) => {
      const { say, said } = talk()
      const [older, newer] = [sign({ kind, created_at: NOW - 5 }), sign({ kind, created_at: NOW })]
      const others = sign({ kind, created_at: NOW - 9 }, generateSecretKey())
      for (const event of [newer, older, others]) say('EVENT', event)
      expect(said.at(-2)).toEqual(['OK', older.id, true, 'duplicate: a newer event is stored'])
      said.length = 0
      say('REQ', 'a', { kinds: [kind] })
      expect(said).toEqual([
        ['EVENT', 'a', newer],
        ['EVENT', 'a', others],
        ['EOSE', 'a'],
      ])
    },
  )

  it.each([23_194, 23_195, 23_196, 23_197])('forwards kind %i to subscribers and stores nothing', (kind) => {
    const hub = new Hub(() => NOW)
    const [listener, sender] = [talk(hub), talk(hub)]
    listener.say('REQ', 'wallet', { kinds: [kind], '#p': ['me'] })
    sender.say('EVENT', sign({ kind, tags: [['p', 'somebody']] }))
    const event = sign({ kind, tags: [['p', 'me']] })
    expect(sender.say('EVENT', event)).toEqual(['OK', event.id, true, ''])
    expect(listener.said).toEqual([
      ['EOSE', 'wallet'],
      ['EVENT', 'wallet', event],
    ])
    expect(hub.store.size).toBe(0)
  })
})

describe('a request', () => {
  const events = [1, 2, 3].map((n) => sign({ kind: n, created_at: NOW - n, tags: [['t', `x${n}`]] }))
  const hub = new Hub(() => NOW)
  for (const event of events) talk(hub).say('EVENT', event)

  it.each([
    [{}, [1, 2, 3]],
    [{ kinds: [2, 3] }, [2, 3]],
    [{ kinds: [] }, []],
    [{ authors: [events[0]?.pubkey] }, [1, 2, 3]],
    [{ authors: ['ab'.repeat(32)] }, []],
    [{ '#t': ['x1', 'x3'] }, [1, 3]],
    [{ since: NOW - 2 }, [1, 2]],
    [{ until: NOW - 2 }, [2, 3]],
    [{ limit: 2 }, [1, 2]],
    [{ limit: 0 }, []],
  ])('returns, for the filter %j, the kinds %j, newest first', (filter, kinds) => {
    const { say, said } = talk(hub)
    say('REQ', 'a', filter)
    expect(said.slice(0, -1).map(([, , event]) => (event as NostrEvent).kind)).toEqual(kinds)
    expect(said.at(-1)).toEqual(['EOSE', 'a'])
  })

  it('sends an event that matches two filters once, and nothing more after CLOSE', () => {
    const { say, said } = talk(hub)
    say('REQ', 'a', { kinds: [1] }, { since: NOW - 1 })
    expect(said).toHaveLength(2)
    say('CLOSE', 'a')
    talk(hub).say('EVENT', sign({ kind: 20_001 }))
    expect(said).toHaveLength(2)
  })

  it('limits subscriptions, filters and the length of an id', () => {
    const { say } = talk()
    for (let n = 0; n < LIMITS.subscriptions; n++) expect(say('REQ', `s${n}`, {})?.[0]).toBe('EOSE')
    expect(say('REQ', 'one more', {})).toEqual(['CLOSED', 'one more', 'rate-limited: at most 20 subscriptions'])
    expect(say('REQ', 's0', {})?.[0]).toBe('EOSE')
    expect(say('REQ', 's0', ...Array.from({ length: 11 }, () => ({})))?.[0]).toBe('CLOSED')
    const reason = 'invalid: a subscription id has 1 to 64 characters'
    for (const id of ['', 'x'.repeat(65), 'é'.repeat(65), 'x'.repeat(100_000)])
      expect(say('REQ', id, {})).toEqual(['CLOSED', id, reason])
    for (const id of [5, null, {}, undefined]) expect(say('REQ', id, {})).toEqual(['NOTICE', reason])
    expect(say('REQ', 's0', { kinds: ['1'] })?.[0]).toBe('CLOSED')
    expect(say('REQ', 's0', null)?.[0]).toBe('CLOSED')
  })

  it('answers COUNT, which it does not support, with CLOSED and the id', () => {
    const reason = 'unsupported: this relay knows EVENT, REQ and CLOSE'
    const { say } = talk()
    for (const id of ['a', 'x'.repeat(65)]) expect(say('COUNT', id, { kinds: [1] })).toEqual(['CLOSED', id, reason])
    expect(say('COUNT')).toEqual(['NOTICE', reason])
  })

  it.each([
    ['AUTH', { id: 'ab'.repeat(32), kind: 22_242 }, ['OK', 'ab'.repeat(32), false]],
    ['AUTH', 'a challenge', ['OK', '', false]],
    ['NEG-OPEN', 'sync', ['NEG-ERR', 'sync']],
    ['NEG-MSG', 'sync', ['NEG-ERR', 'sync']],
    ['NEG-CLOSE', 'sync', ['NOTICE']],
  ])('answers %s, which it does not support, so that its sender does not wait: %j', (type, of, answer) => {
    expect(talk().say(type, of, {})).toEqual([...answer, 'unsupported: this relay knows EVENT, REQ and CLOSE'])
  })

  it.each([
    ['with filters that are not valid', ['REQ', 'a', { since: 'yesterday' }]],
    ['without a filter', ['REQ', 'a']],
    ['with too many filters', ['REQ', 'a', ...Array.from({ length: 11 }, () => ({}))]],
    ['as a count', ['COUNT', 'a', {}]],
    ['with a message that is too large', ['REQ', 'a', { ids: ['x'.repeat(LIMITS.messageBytes)] }]],
  ])('sends nothing more for a subscription that it closed %s', (_, refused) => {
    const { say, said } = talk(hub)
    say('REQ', 'a', { kinds: [20_001] })
    say('REQ', 'b', { kinds: [20_001] })
    expect(say(...refused)?.slice(0, 2)).toEqual(['CLOSED', 'a'])
    const event = sign({ kind: 20_001 })
    talk(hub).say('EVENT', event)
    expect(said.slice(-2)).toEqual([expect.arrayContaining(['CLOSED']), ['EVENT', 'b', event]])
  })

  it.each([5, null, ['a'], undefined])('says that CLOSE with the id %j closes nothing', (id) => {
    expect(talk().say('CLOSE', id)).toEqual(['NOTICE', 'invalid: CLOSE names a subscription'])
  })

  it('deletes the oldest events beyond the maximum, and expired ones', () => {
    const store = new EventStore({ events: 2 })
    for (const event of events) store.add(event, NOW)
    const all = parseFilter({})
    if (all === undefined) throw new Error('an empty filter is a filter')
    expect(store.query(all, NOW).map((event) => event.kind)).toEqual([2, 3])
    store.add(sign({ kind: 9, tags: [['expiration', String(NOW + 5)]] }), NOW)
    expect(store.query(all, NOW)).toHaveLength(2)
    expect(store.query(all, NOW + 5)).toHaveLength(1)
  })

  it('never stores more text than its maximum, however large single events are', () => {
    const store = new EventStore({ bytes: 100_000 })
    for (let count = 0; count < 30; count++) store.add(sign({ content: `${count} ${'x'.repeat(20_000)}` }), NOW)
    expect(store.bytes).toBeLessThanOrEqual(100_000)
    expect(store.size).toBe(4)
  })

  describe('of app identities, profiles and wallet capabilities', () => {
    const wanted = [0, 13_194, 13_195].map((kind) => sign({ kind, content: '{}' }))
    const lookUp = (store: EventStore, filters: readonly object[]): NostrEvent[] =>
      filters.flatMap((each) => {
        const filter = parseFilter(each)
        return filter === undefined ? [] : store.query(filter, NOW)
      })
    const own = wanted.map(({ pubkey, kind }) => ({ authors: [pubkey], kinds: [kind] }))

    it.each([
      ['notes', { kind: 1 }],
      ['long notes', { kind: 7, content: 'x'.repeat(3_000) }],
      ['lists', { kind: 10_002 }],
      ['addressable events', { kind: 30_078 }],
    ])('deletes none for a flood of %s', (_of, template) => {
      const store = new EventStore({ events: 5, bytes: 10_000 })
      for (const event of wanted) store.add(event, NOW)
      for (let count = 0; count < 40; count++) {
        const tags = [['d', `${count}`]]
        store.add(sign({ ...template, tags, created_at: NOW + count }, generateSecretKey()), NOW)
      }
      expect(lookUp(store, own)).toEqual(wanted)
      expect(store.size).toBeLessThanOrEqual(5 + wanted.length)
    })

    it('deletes first those that nobody has looked up, so that invented authors drop none that is in use', () => {
      const store = new EventStore({ keptEvents: 6 })
      for (const event of wanted) store.add(event, NOW)
      expect(lookUp(store, own)).toEqual(wanted)
      const updated = sign({ kind: 13_195, content: '{"name":"new"}', created_at: NOW + 1 })
      store.add(updated, NOW)
      const flood = Array.from({ length: 40 }, (_, count) =>
        sign({ kind: count % 2 === 0 ? 13_195 : 0 }, generateSecretKey()),
      )
      for (const event of flood) store.add(event, NOW)
      expect(lookUp(store, own)).toEqual([...wanted.slice(0, 2), updated])
      // The newest arrival stays until it can be looked up.
      expect(lookUp(store, [{ ids: [flood.at(-1)?.id] }])).toHaveLength(1)
      expect(store.size).toBe(6)
    })
  })

  it('deletes events beyond their maximum age, and keeps app identities longer', () => {
    const store = new EventStore({ seconds: 100, replaceableSeconds: 1_000 })
    store.add(sign({ kind: 1 }), NOW)
    store.add(sign({ kind: 13_195 }), NOW)
    store.add(sign({ kind: 13_195, created_at: NOW + 1, content: 'newer' }), NOW + 1)
    expect(store.size).toBe(2)
    store.add(sign({ kind: 2 }), NOW + 200)
    expect(store.size).toBe(2)
    store.add(sign({ kind: 3, created_at: NOW + 2 }), NOW + 1_100)
    expect(store.size).toBe(1)
    expect(store.bytes).toBeLessThan(1_000)
  })
})

describe('hostile input to a running relay', () => {
  let relay: RunningRelay
  beforeAll(async () => {
    relay = await startRelay(0, new Hub(() => NOW))
  })
  afterAll(() => relay.close())

  const open = async (url = relay.url, origin?: string): Promise<WebSocket> => {
    const socket = new WebSocket(url, origin === undefined ? {} : { origin })
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    return socket
  }
  const ask = (socket: WebSocket, text: string | Buffer): Promise<string> =>
    new Promise((resolve) => {
      socket.once('message', (data: Buffer) => resolve(data.toString()))
      socket.send(text)
    })

  it.each([
    'no JSON',
    '{}',
    'null',
    '[]',
    '["AUTH","x"]',
    '["EVENT"]',
    '["EVENT",null]',
    '["REQ"]',
    '["REQ","a"]',
    '[{"a":1}]',
  ])('answers %s and continues', async (text) => {
    const socket = await open()
    expect(await ask(socket, text)).toMatch(/^\["(NOTICE|OK|CLOSED)"/)
    expect(await ask(socket, '["REQ","still","x"]')).toContain('CLOSED')
    socket.close()
  })

  const sized = (bytes: number): { event: NostrEvent; text: string } => {
    const empty = JSON.stringify(['EVENT', sign({ kind: 23_195, content: '' })]).length
    const event = sign({ kind: 23_195, content: 'x'.repeat(bytes - empty) })
    return { event, text: JSON.stringify(['EVENT', event]) }
  }

  it('accepts an event of 128 kB, and answers OK false to a larger one on a connection that stays open', async () => {
    const socket = await open()
    const largest = sized(LIMITS.messageBytes)
    expect(largest.text).toHaveLength(128 * 1024)
    expect(JSON.parse(await ask(socket, largest.text))).toEqual(['OK', largest.event.id, true, ''])
    for (const bytes of [LIMITS.messageBytes + 1, 3 * LIMITS.messageBytes]) {
      const larger = sized(bytes)
      const refusal = ['OK', larger.event.id, false, 'invalid: a message has at most 128 kB']
      expect(JSON.parse(await ask(socket, larger.text))).toEqual(refusal)
    }
    expect(await ask(socket, `["REQ","big",{"ids":["${'x'.repeat(LIMITS.messageBytes)}"]}]`)).toBe(
      '["CLOSED","big","invalid: a message has at most 128 kB"]',
    )
    expect(await ask(socket, '["REQ","a",{"kinds":[1]}]')).toBe('["EOSE","a"]')
    socket.close()
  })

  it('disconnects a client that sends more than 512 kB, answers bytes that are not text, and serves the next client', async () => {
    const socket = await open()
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.send('x'.repeat(4 * LIMITS.messageBytes + 1))
    expect(await closed).toBe(1009)
    const next = await open()
    expect(await ask(next, Buffer.from([1, 2, 3]))).toContain('NOTICE')
    expect(await ask(next, '["REQ","a",{"kinds":[1]}]')).toBe('["EOSE","a"]')
    next.close()
  })

  it('leaves places for programs and local pages, however many sockets the pages of other sites open', async () => {
    const foreign = ['https://a.example', 'http://localhost.example', 'null', 'http://10.0.0.7:3200', 'file://']
    const sockets: WebSocket[] = []
    const codes: number[] = []
    for (let count = 0; count < 70; count++) {
      const socket = await open(relay.url, foreign[count % foreign.length])
      sockets.push(socket)
      socket.once('close', (code) => codes.push(code))
    }
    await expect.poll(() => codes).toEqual(Array.from({ length: 20 }, () => 1013))
    for (const origin of [undefined, 'http://localhost:5173', 'http://127.0.0.1:3200', 'http://shop.localhost']) {
      const socket = await open(relay.url, origin)
      expect(await ask(socket, '["REQ","a",{"kinds":[1]}]')).toBe('["EOSE","a"]')
      sockets.push(socket)
    }
    for (const socket of sockets) socket.close()
  })

  it('answers on both loopback addresses, over plain HTTP too', async () => {
    for (const host of ['127.0.0.1', '[::1]']) {
      const alive = await fetch(`http://${host}:${relay.port}/-/alive`)
      expect([alive.status, await alive.text()]).toEqual([200, 'ok'])
      ;(await open(`ws://${host}:${relay.port}`)).close()
    }
    const page = await fetch(`http://localhost:${relay.port}/`)
    expect(await page.text()).toContain('This is a Nostr relay')
    expect((await fetch(`http://localhost:${relay.port}/`, { method: 'POST' })).status).toBe(405)
    const about = await fetch(`http://localhost:${relay.port}/`, { headers: { Accept: 'application/nostr+json' } })
    expect(await about.json()).toMatchObject({ limitation: { max_subscriptions: 20, max_subid_length: 64 } })
  })

  it('lets pages of any site read its NIP-11 document, with a preflight too', async () => {
    const url = `http://localhost:${relay.port}/`
    const asked = { Origin: 'https://client.example', 'Access-Control-Request-Method': 'GET' }
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: { ...asked, 'Access-Control-Request-Headers': 'accept,x-client' },
    })
    const about = await fetch(url, { headers: { ...asked, Accept: 'text/html;q=0.1, Application/Nostr+JSON' } })
    expect(about.headers.get('content-type')).toBe('application/nostr+json')
    expect([preflight.status, about.status]).toEqual([204, 200])
    for (const { headers } of [preflight, about]) {
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('access-control-allow-headers')).toBe('*')
      expect(headers.get('access-control-allow-methods')).toContain('GET')
    }
    for (const path of ['', 'other', '-/alive']) {
      const refused = await fetch(`${url}${path}`, { method: 'DELETE' })
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
      expect((await fetch(`${url}${path}`, { method: 'OPTIONS' })).status).toBe(204)
    }
  })
})
