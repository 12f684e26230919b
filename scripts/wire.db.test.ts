import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { POST } from '@/app/-/wire/route'
import { isOperatorCredential, operatorCredential } from '@/lib/audit/operator-request'
import { EventsReply, EventsRequest } from '@/lib/events/operator'
import { createEventRecorder } from '@/lib/events/recorder'
import { epochSeconds, systemClock } from '@/lib/platform/clock'
import type { Database } from '@/lib/platform/db/database'
import { openDatabase } from '@/lib/platform/db/open-database'
import { processSingletons } from '@/lib/platform/process-singletons'
import { describeInProcesses, describeOnBothEngines } from '@/test/databases/databases'
import { runScript } from '@/test/programs/run-script'
import { scriptPath } from '@/test/programs/script'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'

const log = { warn: () => undefined } as never

async function record(db: Database, summary: string, userId?: string): Promise<void> {
  const recorder = createEventRecorder({ db, log })
  recorder.record({ kind: 'wallet', name: 'test money added', summary, userId })
  await recorder.close()
}

describeOnBothEngines('POST /-/wire', (db) => {
  afterAll(() => void processSingletons().delete('application'))

  async function ask({ app }: TestVasp, request: object, about: 'wire' | 'users' = 'wire'): Promise<Response> {
    processSingletons().set('application', app)
    const body = JSON.stringify(request)
    const now = epochSeconds(systemClock.now())
    const Authorization = operatorCredential(app.settings.nextAuthSecret, now, body, about)
    return POST(
      new Request(`${app.settings.publicOrigin}/-/wire`, { method: 'POST', body, headers: { Authorization } }),
    )
  }

  it('answers the newest events, and each event after one of them once and in order', async () => {
    const vasp = await makeTestVasp(db())
    const read = async (request: object) => EventsReply.parse(await (await ask(vasp, request)).json()).events
    for (const [summary, userId] of [['first', 'alice'], ['second'], ['third', 'bob'], ['fourth', 'alice']] as const)
      await record(db(), summary, userId)
    const newest = await read({ limit: 3 })
    expect(newest.map(({ summary }) => summary)).toEqual(['second', 'third', 'fourth'])
    expect((await read({ limit: 2, user: 'alice' })).map(({ summary }) => summary)).toEqual(['first', 'fourth'])
    const after = newest[0]?.id
    expect((await read({ limit: 1, after })).map(({ summary }) => summary)).toEqual(['third'])
    expect((await read({ limit: 9, after })).map(({ summary }) => summary)).toEqual(['third', 'fourth'])
    expect((await read({ limit: 9, after, user: 'alice' })).map(({ summary }) => summary)).toEqual(['fourth'])
    expect(await read({ limit: 9, after: newest.at(-1)?.id })).toEqual([])
  })

  it('rejects other credentials and requests, and answers 404 without the sandbox tools', async () => {
    const vasp = await makeTestVasp(db())
    expect((await ask(vasp, { limit: 1 }, 'users')).status).toBe(401)
    for (const request of [{}, { limit: 0 }, { limit: 1_001 }, { limit: 1, user: 'A' }, { limit: 1, after: '-1' }])
      expect((await ask(vasp, request)).status).toBe(400)
    const { app } = vasp
    const off = { ...vasp, app: { ...app, settings: { ...app.settings, sandboxTools: false } } }
    expect((await ask(off as TestVasp, { limit: 1 })).status).toBe(404)
  })
})

describe('npm run wire', () => {
  it('follows a running server until Ctrl-C, and then ends with exit code 0', async () => {
    const event = { kind: 'wallet', name: 'test money added', userId: 'alice', summary: '' } as const
    const none = {
      connectionId: null,
      requestId: null,
      paymentHash: null,
      status: null,
      durationMs: null,
      failedCheck: null,
    }
    const at = { recordedAt: '2026-11-27T10:00:00.000Z', injected: null }
    const asked: EventsRequest[] = []
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString()
        const { authorization = '' } = request.headers
        const now = epochSeconds(systemClock.now())
        expect(isOperatorCredential(authorization, secret, now, body, 'wire')).toBe(true)
        asked.push(EventsRequest.parse(JSON.parse(body)))
        const events = asked.length > 3 ? [] : [{ ...event, ...none, ...at, id: String(asked.length) }]
        response.end(JSON.stringify({ events }))
      })
    })
    const secret = randomBytes(32).toString('hex')
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { PATH = '', HOME = '' } = process.env
    const PORT = String((server.address() as AddressInfo).port)
    const env = { NODE_ENV: 'test', PATH, HOME, DATA_DIR: '/nonexistent', PORT, NEXTAUTH_SECRET: secret } as const
    const args = [scriptPath('scripts/wire.ts'), '--follow', '--json', '--user=alice', '--limit=5']
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    child.stdout.on('data', (chunk) => (out += String(chunk)))
    const ended = once(child, 'close')
    await expect.poll(() => asked.length).toBeGreaterThan(3)
    child.kill('SIGINT')
    expect(await ended).toEqual([0, null])
    server.close()
    const lines = out.trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(['1', '2', '3'])
    expect(asked.slice(0, 4)).toEqual([
      { user: 'alice', limit: 5 },
      ...['1', '2', '3'].map((after) => ({ user: 'alice', after, limit: 1_000 })),
    ])
  })

  describeInProcesses('while no server runs', (make) => {
    it('reads the database, and follows only one that another server can write', async () => {
      const { dataDir, databaseUrl } = await make()
      const db = await openDatabase({ databaseUrl, dataDir, log: () => {} })
      await record(db, 'stored', 'alice')
      await db.close()
      const env = {
        DATA_DIR: dataDir,
        PORT: '9',
        VASP_DOMAIN: 'localhost:9',
        NEXTAUTH_SECRET: randomBytes(32).toString('hex'),
        ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      }
      const { code, out } = await runScript('scripts/wire.ts', env, ['--json', '--user=alice'])
      expect([code, (JSON.parse(out) as { summary: string }).summary]).toEqual([0, 'stored'])
      if (databaseUrl === undefined)
        expect(await runScript('scripts/wire.ts', env, ['--follow'])).toEqual({
          code: 2,
          out: '',
          err: 'No server answers, and only a running server writes to the embedded database. Start the server.',
        })
    })
  })
})
