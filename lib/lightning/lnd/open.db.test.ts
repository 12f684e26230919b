import { writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@/lib/platform/clock'
import { loadSettings, SettingsError } from '@/lib/platform/config'
import { makeLog } from '@/lib/platform/log'
import { describeOnBothEngines } from '@/test/databases/databases'
import { openHttpsServer, type Handler, type HttpsServer } from '@/test/lnd-like/https-server'
import { chooseNode } from '../choose-node'
import type { NodeChoice, OpenedNode } from '../opened-node'

const [KEY, OTHER] = [`02${'ab'.repeat(32)}`, `03${'cd'.repeat(32)}`]
const info =
  (network: string, identity_pubkey = KEY): Handler =>
  (_, response) =>
    void response.end(JSON.stringify({ identity_pubkey, chains: [{ network }], synced_to_chain: true }))
const refusal =
  (message: string): Handler =>
  (_, response) =>
    void response.writeHead(500).end(JSON.stringify({ code: 2, message, details: [] }))

describeOnBothEngines('An LND of the settings', (db) => {
  let server: HttpsServer
  let answer: Handler
  const opened: OpenedNode[] = []
  beforeAll(async () => {
    server = await openHttpsServer((request, response) => answer(request, response))
    writeFileSync(`${server.certificateFile}.macaroon`, Buffer.from('0201', 'hex'))
  })
  afterEach(async () => {
    for (const { node } of opened.splice(0)) await node.close()
    await db().query({ name: '', text: 'delete from lightning_node.own_key' })
  })
  afterAll(() => server.close())

  const choose = (over: Readonly<Record<string, string>> = {}): NodeChoice =>
    chooseNode(
      loadSettings({
        NEXTAUTH_SECRET: 'a secret of thirty-two characters',
        LND_URL: server.url,
        LND_MACAROON_FILE: `${server.certificateFile}.macaroon`,
        LND_TLS_CERT_FILE: server.certificateFile,
        ...over,
      }),
    )
  async function open(): Promise<OpenedNode> {
    const creditPlannerFor = () => ({ planCredit: async () => ({ failure: 'unknown' }) as const })
    const node = await choose().open({ db: db(), clock: systemClock, log: makeLog('silent', 'test'), creditPlannerFor })
    opened.push(node)
    return node
  }
  const refused = (): Promise<unknown> =>
    open().then(
      () => expect.fail('it started'),
      (error: unknown) => error,
    )

  test.each(['regtest', 'simnet', 'signet'])('is opened on %s, with the account of its own key', async (network) => {
    answer = info(network)
    const { node, accounts, peers, simulated } = await open()
    expect(node.identity).toEqual({ publicKeyHex: KEY, network, minimumMsats: 1_000n })
    expect([...accounts.keys()]).toContain(KEY)
    expect([node.accounts, peers, simulated]).toEqual([[KEY], undefined, undefined])
    expect(await node.state()).toBe('ready')
  })

  test.each(['mainnet', 'testnet', 'testnet4', ''])('on %s ends the start with one line', async (network) => {
    answer = info(network)
    const error = await refused()
    expect(error).toBeInstanceOf(SettingsError)
    expect((error as Error).message).toBe(
      `LND_URL leads to a node on ${network}: this VASP uses nodes on regtest, simnet and signet only.`,
    )
  })

  test('with another key than the books ends the start with one line that names both', async () => {
    answer = info('regtest', OTHER)
    await open()
    answer = info('regtest')
    const error = await refused()
    expect(error).toBeInstanceOf(SettingsError)
    expect((error as Error).message).toMatch(
      new RegExp(`^LND_URL leads to the node ${KEY}, and the books belong to the node ${OTHER}: [^\n]+ ${KEY}$`),
    )
  })

  test.each([
    'verification failed: signature mismatch after caveat verification',
    'cannot get macaroon: root key with id 0 doesn’t exist',
    'permission denied',
  ])('that does not accept the macaroon ends the start: %s', async (message) => {
    answer = refusal(message)
    expect(await refused()).toEqual(
      new SettingsError(`LND refuses LND_MACAROON_FILE (${message}): name a macaroon of this LND.`),
    )
  })

  test('that is starting is waited for', async () => {
    let calls = 0
    answer = (request, response) => {
      calls += 1
      const starting = refusal('waiting to start, RPC services not available')
      ;(calls < 3 ? starting : info('regtest'))(request, response)
    }
    expect((await open()).node.identity.publicKeyHex).toBe(KEY)
  })

  test('whose files are missing or wrong is refused before anything is opened', async () => {
    expect(() => choose().check()).not.toThrow()
    const missing = { LND_MACAROON_FILE: '/nonexistent/canary' }
    expect(() => choose(missing).check()).toThrow(/^LND_MACAROON_FILE cannot be read \(ENOENT\): [^\n]+$/)
    const wrong = { LND_TLS_CERT_FILE: `${server.certificateFile}.macaroon` }
    expect(() => choose(wrong).check()).toThrow(/^LND_TLS_CERT_FILE is not a certificate: [^\n]+$/)
  })
})
