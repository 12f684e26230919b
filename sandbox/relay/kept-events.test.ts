import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finalizeEvent, generateSecretKey, getPublicKey, type NostrEvent } from 'nostr-tools/pure'
import { bytesToHex } from 'nostr-tools/utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadNwcClient } from '@/test/gateway/nwc-client'
import { freePort } from '@/test/programs/free-port'
import { scriptPath } from '@/test/programs/script'
import { infoEvent, readMessage, writeAnswer } from '../gateway/message'
import { RelayLink } from '../nostr/relay-link'
import { EventStore } from './event-store'
import { parseFilter } from './filter'
import { KeptEvents } from './kept-events'

const nowSeconds = (): number => Math.floor(Date.now() / 1000)
const NOW = nowSeconds()
const sign = (kind: number, content = '', by = generateSecretKey()): NostrEvent =>
  finalizeEvent({ kind, created_at: NOW, tags: [], content }, by)

let folder: string
let logged: string[]
const file = (): string => join(folder, 'relay', 'events.json')
const openStore = (): EventStore =>
  new EventStore({}, new KeptEvents(join(folder, 'relay'), (line) => void logged.push(line))).load(NOW)
const contentsOf = (store: EventStore): string[] => {
  const all = parseFilter({})
  if (all === undefined) throw new Error('an empty filter is a filter')
  return store
    .query(all, NOW)
    .map(({ content }) => content)
    .toSorted()
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-'))
  logged = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the relay’s disk store', () => {
  it('keeps the newest event of kinds 0, 13194 and 13195 of each author, and nothing else', () => {
    const store = openStore()
    const key = generateSecretKey()
    for (const event of [sign(0, 'profile'), sign(13_195, 'app'), sign(1, 'note'), sign(3, 'contacts')])
      store.add(event, NOW)
    store.add(sign(13_194, 'old', key), NOW)
    store.add(finalizeEvent({ kind: 13_194, created_at: NOW + 1, tags: [], content: 'new' }, key), NOW)
    expect(contentsOf(openStore())).toEqual(['app', 'new', 'profile'])
    expect(logged).toEqual([])
    expect(statSync(file()).mode & 0o777).toBe(0o600)
  })

  it('keeps at most 1 MB, the newest arrivals', () => {
    const store = openStore()
    for (let count = 0; count < 14; count++) store.add(sign(0, `${count} ${'x'.repeat(100_000)}`), NOW)
    expect(contentsOf(openStore()).map((text) => text.slice(0, 2).trim())).toEqual(
      ['4', '5', '6', '7', '8', '9', '10', '11', '12', '13'].toSorted(),
    )
  })

  it.each([
    ['half of its text', '[{"id":"ab'],
    ['another JSON value', '{"a":1}'],
    ['no text', ''],
  ])('moves a file with %s away, reports it, and continues', (_, text) => {
    openStore().add(sign(0, 'lost'), NOW)
    writeFileSync(file(), text)
    const store = openStore()
    expect(store.size).toBe(0)
    expect(logged).toEqual([expect.stringContaining(`${file()} cannot be read and is now ${file()}.unreadable`)])
    expect(readFileSync(`${file()}.unreadable`, 'utf8')).toBe(text)
    store.add(sign(0, 'next'), NOW)
    expect(contentsOf(openStore())).toEqual(['next'])
  })

  it('leaves out an event with an invalid signature', () => {
    openStore().add(sign(0, 'mine'), NOW)
    writeFileSync(file(), readFileSync(file(), 'utf8').replace('mine', 'ours'))
    expect(openStore().size).toBe(0)
  })

  it('reports a failed write, and the relay continues from memory', () => {
    writeFileSync(join(folder, 'relay'), 'a file in the place of the folder')
    const store = openStore()
    expect(store.add(sign(0, 'kept'), NOW)).toBe('new')
    expect(contentsOf(store)).toEqual(['kept'])
    expect(logged).toEqual([expect.stringContaining('cannot be written')])
  })
})

describe('a relay that is killed and started again', () => {
  const secret = generateSecretKey()
  let port: number
  let relay: ChildProcess
  let gateway: RelayLink

  const startRelay = async (): Promise<void> => {
    const env = { ...process.env, RELAY_PORT: String(port), RELAY_DATA_DIR: join(folder, 'relay') }
    relay = spawn(process.execPath, [scriptPath('sandbox/relay/main.ts')], { env, stdio: 'ignore' })
    const isAlive = async (): Promise<boolean> =>
      fetch(`http://localhost:${port}/-/alive`).then(
        ({ ok }) => ok,
        () => false,
      )
    await expect.poll(isAlive).toBe(true)
  }
  const kill = async (): Promise<void> => {
    if (relay.signalCode !== null) return
    const ended = once(relay, 'exit')
    relay.kill('SIGKILL')
    await ended
  }

  /** Like the public gateway, it reconnects and subscribes again, but publishes kind 13194 only at its start. */
  const startGateway = async (): Promise<void> => {
    gateway = new RelayLink(`ws://localhost:${port}`, {
      filters: () => [{ kinds: [23_194], '#p': [getPublicKey(secret)] }],
      onEvent: (event) => {
        if (readMessage(event, secret, nowSeconds()) === undefined) return
        const result = { alias: 'Northbank', methods: ['get_info'] }
        const answer = writeAnswer(event, secret, { result }, 'get_info', nowSeconds())
        // The relay's OK may come after the end of the test.
        gateway.publish(answer).catch(() => undefined)
      },
    }).start()
    await expect.poll(() => gateway.isUp).toBe(true)
    await gateway.publish(infoEvent(secret, ['get_info'], nowSeconds()))
  }

  async function aliasForNewClient(): Promise<string> {
    const Client = await loadNwcClient()
    const uri = `nostr+walletconnect://${getPublicKey(secret)}?relay=ws://localhost:${port}&secret=${bytesToHex(generateSecretKey())}`
    const client = new Client({ nostrWalletConnectUrl: uri })
    try {
      return (await client.getInfo()).alias
    } finally {
      client.close()
    }
  }

  beforeEach(async () => {
    port = await freePort()
    await startRelay()
    await startGateway()
  })
  afterEach(async () => {
    gateway.stop()
    await kill()
    vi.restoreAllMocks()
  })

  it('serves a new NWC client of a gateway that was not restarted', async () => {
    expect(await aliasForNewClient()).toBe('Northbank')
    await kill()
    expect(readdirSync(join(folder, 'relay'))).toEqual(['events.json'])
    await expect.poll(() => gateway.isUp).toBe(false)
    await startRelay()
    await expect.poll(() => gateway.isUp).toBe(true)
    expect(await aliasForNewClient()).toBe('Northbank')
    expect(existsSync(`${file()}.unreadable`)).toBe(false)
  })
})
