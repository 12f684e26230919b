import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { POST } from '@/app/-/users/route'
import { isOperatorCredential, operatorCredential } from '@/lib/audit/operator-request'
import { epochSeconds, systemClock } from '@/lib/platform/clock'
import { openDatabase } from '@/lib/platform/db/open-database'
import { processSingletons } from '@/lib/platform/process-singletons'
import { describeInProcesses, describeOnEmbedded } from '@/test/databases/databases'
import { runUsers } from '@/test/programs/users-command'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'

const NO_SERVER = { DATA_DIR: '/nonexistent', PORT: '9', NEXTAUTH_URL: 'http://127.0.0.1:9' }
const PASSWORD = 'a password'

/** The settings of a server that does not run. */
const stopped = (dataDir: string): Record<string, string> => ({
  DATA_DIR: dataDir,
  PORT: '9',
  VASP_DOMAIN: 'localhost:9',
  NEXTAUTH_SECRET: randomBytes(32).toString('hex'),
})

describe('npm run users', () => {
  it('says what a password has to be when the first line of standard input is empty', async () => {
    expect(await runUsers(NO_SERVER, ['add', 'carol'], '\nthe second line\n')).toEqual({
      code: 2,
      out: '',
      err: 'A password has 8 to 200 characters. Send it on standard input, on one line.',
    })
  })

  it('says in one line that there is neither a server nor a database', async () => {
    const { code, out, err } = await runUsers(stopped('/nonexistent'), ['list'])
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(/^There is no database in \/nonexistent yet\..*$/)
  })

  it('sends the running server the request, signed with the secret for this command', async () => {
    const secret = randomBytes(32).toString('hex')
    let seen = { path: '', authorization: '', body: '' }
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { method, url, headers } = request
        const body = Buffer.concat(chunks).toString()
        seen = { path: `${method} ${url}`, authorization: headers.authorization ?? '', body }
        response.end(JSON.stringify({ done: false, lines: ['not this time'] }))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const PORT = String((server.address() as AddressInfo).port)
    const env = { DATA_DIR: '/nonexistent', PORT, NEXTAUTH_SECRET: secret }
    expect(await runUsers(env, ['add', 'carol'], `${PASSWORD}\n`)).toEqual({ code: 1, out: '', err: 'not this time' })
    server.close()
    const { path, authorization, body } = seen
    expect(path).toBe('POST /-/users')
    expect(JSON.parse(body)).toEqual({
      do: 'add',
      username: 'carol',
      displayName: 'carol',
      wallets: [{ code: 'USD', opening: '0' }],
      password: PASSWORD,
    })
    const now = epochSeconds(systemClock.now())
    expect(isOperatorCredential(authorization, secret, now, body, 'users')).toBe(true)
    expect(isOperatorCredential(authorization, secret, now, body, 'payments')).toBe(false)
    expect(authorization).not.toContain(secret)
  })

  it('asks a server for the rest of a list', async () => {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { after = '' } = JSON.parse(Buffer.concat(chunks).toString()) as { after?: string }
        const next = { '': 'bob', bob: 'dora' }[after]
        response.end(JSON.stringify({ done: true, lines: [`behind ${after}`], next }))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const PORT = String((server.address() as AddressInfo).port)
    const env = { DATA_DIR: '/nonexistent', PORT, NEXTAUTH_SECRET: randomBytes(32).toString('hex') }
    expect(await runUsers(env, ['list'])).toEqual({ code: 0, out: 'behind \nbehind bob\nbehind dora', err: '' })
    server.close()
  })

  const walkWithoutServer = async (env: Readonly<Record<string, string>>): Promise<void> => {
    const removed = "carol was removed. The ledger keeps the user's entries, and the name is never issued again."
    for (const [args, input, expected] of [
      [['add', 'carol'], PASSWORD, { code: 0, out: 'carol was added.', err: '' }],
      [['remove', 'carol'], '', { code: 0, out: removed, err: '' }],
    ] as const)
      expect(await runUsers(env, args, input), args.join(' ')).toEqual(expected)
    const withoutTools = { ...env, SANDBOX_TOOLS: 'off' }
    expect(await runUsers(withoutTools, ['add', 'dora', '--wallets=USD:1'], PASSWORD)).toMatchObject({
      code: 1,
      err: 'An opening balance needs SANDBOX_TOOLS=on or private. Nothing was changed.',
    })
  }

  describeInProcesses('while no server runs', (make) => {
    it('changes users', async () => {
      const { dataDir, databaseUrl } = await make()
      await walkWithoutServer({
        ...stopped(dataDir),
        ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      })
      const db = await openDatabase({ databaseUrl, dataDir, log: () => {} })
      expect((await db.prisma.user.findUnique({ where: { id: 'carol' } }))?.status).toBe('closed')
      await db.close()
    })
  })
})

describeOnEmbedded('POST /-/users', (db) => {
  afterAll(() => void processSingletons().delete('application'))

  const LIST = '{"do":"list"}'

  async function ask(
    vasp: TestVasp,
    body: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly answer: string }> {
    processSingletons().set('application', vasp.app)
    const response = await POST(
      new Request(`${vasp.app.settings.publicOrigin}/-/users`, { method: 'POST', body, headers }),
    )
    return { status: response.status, answer: await response.text() }
  }

  it('answers only a request that was signed with the secret, for users and for this body, within the last minute', async () => {
    const vasp = await makeTestVasp(db())
    const secret = vasp.app.settings.nextAuthSecret
    const now = epochSeconds(systemClock.now())
    const signed = (...args: Parameters<typeof operatorCredential>) => ({ Authorization: operatorCredential(...args) })
    expect((await ask(vasp, LIST, signed(secret, now, LIST, 'users'))).status).toBe(200)
    // lib/audit/operator-request.test.ts has the table.
    const refused: Readonly<Record<string, string>>[] = [
      {},
      { Authorization: `Bearer ${secret}` },
      signed(secret, now, LIST, 'payments'),
      signed(secret, now, `${LIST} `, 'users'),
      signed(secret, now - 62, LIST, 'users'),
    ]
    for (const headers of refused) {
      const { status, answer } = await ask(vasp, LIST, headers)
      expect([status, answer], JSON.stringify(headers)).toEqual([
        401,
        'This address requires the secret of the instance: npm run users sends it.',
      ])
    }
    for (const body of ['', '{', '{}', '{"do":"close"}', '{"do":"list","username":"bob"}'])
      expect((await ask(vasp, body, signed(secret, now, body, 'users'))).status).toBe(400)
  })
})
