import { randomBytes, randomInt } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { resolve as absolute, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { isRunning } from '../../scripts/process-table.mjs'
import { JsonFile } from '../shared/json-file'
import { isFree } from '../shared/ports'
import { replaceFile } from '../shared/replace-file'
import type { LndPrograms } from './build'
import { makeDaemon, type Daemon } from './daemon'
import { callRest, type RestServer } from './rest'

const HOST = '127.0.0.1'
/** Segwit and Taproot are in force after three windows of 100 blocks on simnet. */
const FIRST_BLOCKS = 310
/** A block's reward can be spent 100 blocks later. */
const MATURING_BLOCKS = 103
/** LND announces a channel after six. */
const CHANNEL_BLOCKS = 6
/** Half of a channel is given to the other side, so that both can pay. LND's largest channel has 16,777,215 sat. */
const CHANNEL_SATS = 16_000_000
/** Where the first blocks pay to: an address whose public key hash is zero. */
const NOBODY = 'SMJ12qn9jNCCXJnTYRz5Yu9ZenERqvYwfg'
/** Below the ports that the system gives to outgoing connections: one could take a port before its program listens. */
const [FIRST_PORT, LAST_PORT] = [12_000, 20_000]
const LOOK_AGAIN_MS = 50
const PATIENCE_MS = 180_000
const HOLD_KEYSENDS_FOR = '8s'

/** One LND of the network, as the settings of a VASP name it. */
export interface NetworkNode {
  readonly name: string
  readonly url: string
  readonly macaroonFile: string
  readonly certFile: string
  readonly publicKeyHex: string
  /** Calls its REST interface, with all rights. */
  call(path: string, body?: unknown, method?: string): Promise<unknown>
  /** Resolves when it is in step with the chain, and its channels can be used. */
  start(): Promise<void>
  stop(): Promise<void>
  kill(): Promise<void>
}

/** A chain on simnet, and LND nodes with a channel between the first and each of the others. */
export interface LndNetwork {
  readonly nodes: readonly NetworkNode[]
  readonly chain: {
    mine(blocks: number): Promise<void>
    start(): Promise<void>
    stop(): Promise<void>
  }
  /** The first node closes its channel with the second without asking it. */
  closeChannel(): Promise<void>
  stop(): Promise<void>
}

interface NetworkOptions {
  readonly programs: LndPrograms
  /** Keeps everything: a network that is started again has its coins and channels. */
  readonly folder: string
  readonly nodes: readonly {
    readonly name: string
    /** Accepts keysends without asking its owner. A VASP decides whether it can credit one. */
    readonly takesKeysends?: boolean
  }[]
  readonly say?: (line: string) => void
}

interface BareNode extends NetworkNode {
  /** As `start`, without waiting for channels. */
  startAlone(): Promise<void>
}

const State = z.object({
  password: z.string().default(() => randomBytes(16).toString('hex')),
  /** Where the blocks pay to, once there is a wallet. */
  miningAddress: z.string().optional(),
  /** By name of the daemon and of its interface: the settings of a VASP name one of them. */
  ports: z.record(z.string(), z.number()).default({}),
  processes: z.array(z.object({ pid: z.number(), startedAt: z.string() })).default([]),
})

const Info = z.object({ identity_pubkey: z.string(), synced_to_chain: z.boolean() })
const Channel = z.object({ remote_pubkey: z.string(), active: z.boolean(), channel_point: z.string() })
const Channels = z.object({ channels: z.array(Channel) })
const Balance = z.object({ confirmed_balance: z.coerce.number() })

/** Starts a network, or the one that is in the folder. @throws Error with the output of a program that ends. */
export async function startLndNetwork(options: NetworkOptions): Promise<LndNetwork> {
  const { programs, say = () => {} } = options
  const folder = absolute(options.folder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = new JsonFile(join(folder, 'network.json'), State, 'Delete the folder: its coins are worth nothing.')
  await endLeftOvers(file.state.processes)
  const daemons: Daemon[] = []
  const remember = (): void => {
    file.state.processes = daemons.flatMap((each) => each.identity() ?? [])
    file.save()
  }
  const begin = (daemon: Daemon): void => {
    daemon.start()
    remember()
  }
  const daemonOf = (name: string, program: string, args: () => readonly string[]): Daemon => {
    const daemon = makeDaemon(name, program, args)
    daemons.push(daemon)
    return daemon
  }

  const chainFolder = join(folder, 'chain')
  const ports = await choosePorts(
    file.state.ports,
    options.nodes.map(({ name }) => name),
  )
  file.state.ports = ports
  file.save()
  const portOf = (daemon: string, of: string): number => ports[`${daemon} ${of}`] ?? 0
  const certificate = join(chainFolder, 'rpc.cert')

  function writeChainSettings(): void {
    replaceFile(
      join(chainFolder, 'btcd.conf'),
      settingsText('Application Options', {
        simnet: 1,
        datadir: join(chainFolder, 'data'),
        logdir: join(chainFolder, 'logs'),
        rpccert: certificate,
        rpckey: join(chainFolder, 'rpc.key'),
        rpcuser: 'sandbox',
        rpcpass: file.state.password,
        rpclisten: `${HOST}:${portOf('chain', 'rpc')}`,
        nolisten: 1,
        txindex: 1,
        miningaddr: file.state.miningAddress ?? NOBODY,
        debuglevel: 'warn',
      }),
    )
  }
  const bitcoin = daemonOf('btcd', programs.btcd, () => [`--configfile=${join(chainFolder, 'btcd.conf')}`])
  async function callChain(method: string, ...params: unknown[]): Promise<unknown> {
    const server: RestServer = {
      url: `https://${HOST}:${portOf('chain', 'rpc')}`,
      ca: readFileSync(certificate, 'utf8'),
      headers: { authorization: `Basic ${Buffer.from(`sandbox:${file.state.password}`).toString('base64')}` },
    }
    const answer = await callRest(server, '/', { jsonrpc: '1.0', id: 1, method, params })
    const { result, error } = answer as { result: unknown; error: { message: string } | null }
    if (error !== null) throw new Error(`btcd: ${error.message}`)
    return result
  }
  const chain: LndNetwork['chain'] = {
    async mine(blocks) {
      await callChain('generate', blocks)
    },
    async start() {
      writeChainSettings()
      begin(bitcoin)
      await bitcoin.until(() => callChain('getblockcount'))
    },
    stop: () => bitcoin.stop(),
  }

  function makeNode({ name, takesKeysends = false }: NetworkOptions['nodes'][number]): BareNode {
    const nodeFolder = join(folder, name.toLowerCase())
    const url = `https://${HOST}:${portOf(name, 'rest')}`
    const macaroonFile = join(nodeFolder, 'data', 'chain', 'bitcoin', 'simnet', 'admin.macaroon')
    const certFile = join(nodeFolder, 'tls.cert')
    const daemon = daemonOf(`LND of ${name}`, programs.lnd, () => [`--lnddir=${nodeFolder}`])
    let publicKeyHex = ''
    const call: NetworkNode['call'] = (path, body, method) => {
      const headers = { 'grpc-metadata-macaroon': readFileSync(macaroonFile, 'hex') }
      return callRest({ url, ca: readFileSync(certFile, 'utf8'), headers }, path, body, method)
    }
    function writeSettings(): void {
      replaceFile(
        join(nodeFolder, 'lnd.conf'),
        settingsText('Application Options', {
          alias: name,
          noseedbackup: 1,
          nobootstrap: 1,
          // A node tries again at once to reach one that was killed, not after a minute or an hour.
          maxbackoff: '2s',
          listen: `${HOST}:${portOf(name, 'peer')}`,
          rpclisten: `${HOST}:${portOf(name, 'rpc')}`,
          restlisten: `${HOST}:${portOf(name, 'rest')}`,
          // Without the names and addresses of this computer.
          tlsdisableautofill: 1,
          'accept-keysend': 1,
          'keysend-hold-time': takesKeysends ? '0s' : HOLD_KEYSENDS_FOR,
          debuglevel: 'warn',
          // A full disk of a developer's computer is not a reason to end.
          'healthcheck.diskspace.attempts': 0,
          'bitcoin.simnet': 1,
          'bitcoin.node': 'btcd',
          'bitcoin.defaultchanconfs': 1,
          'btcd.rpchost': `${HOST}:${portOf('chain', 'rpc')}`,
          'btcd.rpcuser': 'sandbox',
          'btcd.rpcpass': file.state.password,
          'btcd.rpccert': certificate,
        }),
      )
    }
    const synced = async (): Promise<true | undefined> => {
      const info = Info.parse(await call('/v1/getinfo'))
      publicKeyHex = info.identity_pubkey
      // It answers before it has started, and a chain that restarts meanwhile stops it there.
      const { state } = z.object({ state: z.string() }).parse(await call('/v1/state'))
      return (info.synced_to_chain && state === 'SERVER_ACTIVE') || undefined
    }
    return {
      name,
      url,
      macaroonFile,
      certFile,
      get publicKeyHex() {
        return publicKeyHex
      },
      call,
      async startAlone() {
        writeSettings()
        begin(daemon)
        await daemon.until(synced)
      },
      async start() {
        await this.startAlone()
        await untilChannelsWork()
      },
      stop: () => daemon.stop(),
      kill: () => daemon.kill(),
    }
  }
  const nodes = options.nodes.map(makeNode)
  const first = nodes[0] ?? missing()

  /** Resolves when every channel between nodes that run can be used. */
  async function untilChannelsWork(): Promise<void> {
    for (const node of nodes.slice(1))
      await until(`the channel of ${node.name}`, async () => {
        const both = await Promise.all([channelBetween(first, node), channelBetween(node, first)])
        if (!both.every((channel) => channel?.active === true)) return false
        // A node finds no route for a moment after its channel is active.
        await Promise.all([findRoute(first, node), findRoute(node, first)])
        return true
      })
  }

  /** @throws RestError while there is none. */
  async function findRoute(from: NetworkNode, { publicKeyHex }: NetworkNode): Promise<void> {
    await from.call(`/v1/graph/routes/${publicKeyHex}/1`)
  }

  async function stop(): Promise<void> {
    await Promise.all(daemons.slice(1).map((each) => each.stop()))
    await bitcoin.stop()
    remember()
  }

  try {
    say('Starting the chain …')
    await chain.start()
    const height = Number(await callChain('getblockcount'))
    // LND takes a chain without a block in the last two hours for one that is behind.
    await chain.mine(Math.max(1, FIRST_BLOCKS - height))
    say(`Starting ${nodes.length} LND nodes …`)
    if (file.state.miningAddress === undefined) {
      await first.startAlone()
      const answer = await first.call('/v1/newaddress')
      file.state.miningAddress = z.object({ address: z.string() }).parse(answer).address
      file.save()
      // Only a start of btcd takes an address, and LND needs minutes to notice that its chain has restarted.
      await first.stop()
      await chain.stop()
      await chain.start()
    }
    await Promise.all(nodes.map((node) => node.startAlone()))
    for (const node of nodes.slice(1)) {
      await until(`a connection to ${node.name}`, () => connect(first, node, portOf(node.name, 'peer')))
      if ((await channelBetween(first, node)) === undefined) await openChannel(node)
    }
    await untilChannelsWork()
  } catch (error) {
    await stop()
    throw error
  }

  async function openChannel(to: NetworkNode): Promise<void> {
    say(`Opening a channel from ${first.name} to ${to.name} …`)
    const isFunded = async (): Promise<boolean> =>
      Balance.parse(await first.call('/v1/balance/blockchain')).confirmed_balance >= 2 * CHANNEL_SATS
    if (!(await isFunded())) await chain.mine(MATURING_BLOCKS)
    await until(`the coins of ${first.name}`, isFunded)
    const channel = {
      node_pubkey_string: to.publicKeyHex,
      local_funding_amount: String(CHANNEL_SATS),
      push_sat: String(CHANNEL_SATS / 2),
      sat_per_vbyte: '2',
      spend_unconfirmed: true,
    }
    // After new blocks both nodes need a moment.
    await until(`a channel to ${to.name}`, async () => Boolean(await first.call('/v1/channels', channel)))
    await chain.mine(CHANNEL_BLOCKS)
  }

  async function closeChannel(): Promise<void> {
    const second = nodes[1] ?? missing()
    const point = (await channelBetween(first, second))?.channel_point.replace(':', '/') ?? missing()
    // The call lasts until the channel is closed on the chain.
    void first.call(`/v1/channels/${point}?force=true`, undefined, 'DELETE').catch(() => undefined)
    await until('the end of the channel', async () => (await channelBetween(first, second)) === undefined)
  }

  return { nodes, chain, closeChannel, stop }
}

/** @throws Error that says what did not happen, with the last failure. */
async function until(what: string, check: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    let failure: unknown
    const isTrue = await check().catch((error: unknown) => void (failure = error))
    if (isTrue === true) return
    if (performance.now() > deadline)
      throw new Error(`The Lightning network waits for ${what} in vain.`, { cause: failure })
    await sleep(LOOK_AGAIN_MS)
  }
}

async function channelBetween(from: NetworkNode, to: NetworkNode): Promise<z.output<typeof Channel> | undefined> {
  const { channels } = Channels.parse(await from.call('/v1/channels'))
  return channels.find((channel) => channel.remote_pubkey === to.publicKeyHex)
}

async function connect(from: NetworkNode, to: NetworkNode, port: number): Promise<true> {
  try {
    await from.call('/v1/peers', { addr: { pubkey: to.publicKeyHex, host: `${HOST}:${port}` }, perm: true })
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('already connected')) throw error
  }
  return true
}

/** The ports of an earlier start where they are still free: they are in the settings of VASPs. */
async function choosePorts(
  before: Readonly<Record<string, number>>,
  names: readonly string[],
): Promise<Record<string, number>> {
  const wanted = ['chain rpc', ...names.flatMap((name) => ['peer', 'rpc', 'rest'].map((of) => `${name} ${of}`))]
  const ports: Record<string, number> = {}
  for (const name of wanted) {
    let port = before[name]
    if (port === undefined || !(await isFree(port, HOST))) port = await freePort()
    while (Object.values(ports).includes(port)) port = await freePort()
    ports[name] = port
  }
  return ports
}

async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT)
    if (await isFree(port, HOST)) return port
  }
}

/** Programs that outlived a killed owner hold the files. */
async function endLeftOvers(processes: readonly { readonly pid: number; readonly startedAt: string }[]): Promise<void> {
  const left = processes.filter(isRunning)
  for (const { pid } of left) process.kill(pid, 'SIGKILL')
  while (left.some(isRunning)) await sleep(LOOK_AGAIN_MS)
}

function settingsText(section: string, values: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}`)
  return `[${section}]\n${lines.join('\n')}\n`
}

function missing(): never {
  throw new Error('The network has no such node or channel.')
}
