import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { UmaAuthVasp } from 'uma-auth-vasp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKeyPair } from '@/test/vasp/keys'

const FOLDER = resolve('.cache/adopt-code')
const ORIGIN = 'http://localhost:4000'
const RETURN = 'http://localhost:8080/auth/vasp_token_callback'

interface Session {
  readonly id: string
  readonly sessionBinding: string
}

/** The files of the guide, as a reader saves them. */
interface Bank {
  readonly vasp: UmaAuthVasp
  readonly users: Map<string, { active: boolean; name: string }>
  userNamed(name: string): { active: boolean; name: string } | undefined
  connect(request: { readonly method: string; readonly url: string }, session: Session): Promise<Response>
  sessionOf(cookies?: string): Session
  signInPage(pending: string, session: Session): Promise<Response>
  signIn(form: Readonly<Record<string, string>>, session: Session): Promise<Response>
}

let bank: Bank

beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true })
  const { privatePem, publicPem } = newKeyPair()
  writeFileSync(join(FOLDER, 'private.pem'), privatePem)
  writeFileSync(join(FOLDER, 'public.pem'), publicPem)
  writeFileSync(join(FOLDER, 'login-secret.txt'), '0'.repeat(64))
  const guide = readFileSync('docs/adopt.md', 'utf8')
  const files = [...guide.matchAll(/<!-- file: (\w+)\.mjs -->\n\n```js\n([^]*?)```/g)]
  expect(files.map(([, name]) => name)).toEqual(expect.arrayContaining(['bank', 'vasp', 'connect', 'sessions']))
  // As .js, because vitest leaves .mjs to node, which does not know the alias of the package.
  for (const [, name = '', code = ''] of files)
    writeFileSync(
      join(FOLDER, `${name}.js`),
      code
        .replaceAll(/\.mjs'/g, ".js'")
        .replaceAll(/'([\w-]+\.(?:pem|txt))'/g, (_, file: string) => `'${join(FOLDER, file)}'`),
    )
  // One after the other: if two modules load at the same time, each can get its own instance of bank.js.
  const modules: object[] = []
  for (const name of ['bank', 'vasp', 'connect', 'sessions'])
    modules.push((await import(/* @vite-ignore */ join(FOLDER, `${name}.js`))) as object)
  bank = Object.assign({}, ...modules) as Bank
})

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

const start = (session: Session, redirectUri = RETURN): Promise<Response> =>
  bank.connect({ method: 'GET', url: `/connect?${new URLSearchParams({ redirect_uri: redirectUri })}` }, session)

const parameter = (response: Response, name: string): string =>
  new URL(response.headers.get('location') ?? '', ORIGIN).searchParams.get(name) ?? ''

async function signedIn(): Promise<string> {
  const session = bank.sessionOf()
  const pending = parameter(await start(session), 'pending')
  return parameter(await bank.signIn({ pending, name: 'alice', password: 'alice' }, session), 'token')
}

async function call(path: string, token: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const headers = { Authorization: `Bearer ${token}` }
  const response = await bank.vasp.fetch(new Request(`${ORIGIN}/umanwc/v1${path}`, { ...init, headers }))
  return { status: response.status, body: await response.json() }
}

async function connection(login: string): Promise<string> {
  const { body } = await call('/token', login, { permissions: ['get_balance'] })
  return (body as { token: string }).token
}

describe('the code of docs/adopt.md', () => {
  it('refuses a redirect_uri with another host', async () => {
    const response = await start(bank.sessionOf(), 'https://attacker.example/')
    expect([response.status, await response.text()]).toEqual([400, 'Invalid redirect_uri'])
  })

  it('shows a sign-in page to the browser that asked, and to no other', async () => {
    const session = bank.sessionOf()
    const pending = parameter(await start(session), 'pending')
    expect((await bank.signInPage(pending, session)).status).toBe(200)
    expect((await bank.signInPage(pending, bank.sessionOf())).status).toBe(400)
  })

  it('signs in, exchanges the login token and reads a balance', async () => {
    const login = await signedIn()
    expect(await call('/info', login)).toMatchObject({ status: 200, body: { lud16: '$alice@localhost:4000' } })
    expect((await call('/balance', login)).status).toBe(401)
    expect(await call('/balance', await connection(login))).toMatchObject({ status: 200, body: { balance: 25_000 } })
  })

  it('lets a user choose when the app asks for another user', async () => {
    const session = bank.sessionOf()
    const first = parameter(await start(session), 'pending')
    await bank.signIn({ pending: first, name: 'alice', password: 'alice' }, session)

    const pending = parameter(await start(session, `${RETURN}?uma_username=bob`), 'pending')
    const text = await (await bank.signInPage(pending, session)).text()
    expect(text).toContain('The app asks for bob.')
    expect(text).toContain('You are signed in as alice.')

    expect((await bank.signIn({ pending, continueAs: 'bob' }, session)).status).toBe(401)
    const chosen = parameter(await bank.signIn({ pending, continueAs: 'alice' }, session), 'token')
    expect(await call('/info', chosen)).toMatchObject({ body: { lud16: '$alice@localhost:4000' } })
    expect((await bank.signIn({ pending, name: 'bob', password: 'bob' }, session)).status).toBe(400)
    // The request was used, but Bob is signed in now.
    const other = parameter(await start(session, `${RETURN}?uma_username=bob`), 'token')
    expect(await call('/info', other)).toMatchObject({ body: { lud16: '$bob@localhost:4000' } })
  })

  it('keeps a connection when its user changes the name, and shows the new address', async () => {
    const token = await connection(await signedIn())
    const alice = bank.userNamed('alice')
    if (alice === undefined) throw new Error('alice is missing')
    alice.name = 'alicia'
    const answers = [await call('/info', token), await call('/balance', token)]
    alice.name = 'alice'
    expect(answers).toMatchObject([{ body: { lud16: '$alicia@localhost:4000' } }, { body: { balance: 25_000 } }])
    expect(JSON.parse(atob(token.split('.')[1] ?? ''))).toMatchObject({ address: '$alice@localhost:4000' })
    expect([...bank.users.keys()]).toContain((JSON.parse(atob(token.split('.')[1] ?? '')) as { sub: string }).sub)
  })

  it('rounds an estimate up', async () => {
    const query = 'sending_currency_code=SAT&sending_currency_amount=11&budget_currency_code=USD'
    const { body } = await call(`/budget_estimate?${query}`, await connection(await signedIn()))
    expect(body).toEqual({ estimated_budget_currency_amount: 2 })
  })

  it('answers 501 for a method that the bank leaves out', async () => {
    const token = await connection(await signedIn())
    expect((await call('/invoice', token, { amount: 1_000 })).status).toBe(501)
  })

  it('answers 429 for the eleventh connection of one login', async () => {
    const login = await signedIn()
    const permissions = ['get_balance']
    const answers = await Promise.all(Array.from({ length: 11 }, () => call('/token', login, { permissions })))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
  })

  it('refuses every call of a suspended user', async () => {
    const token = await connection(await signedIn())
    const alice = bank.userNamed('alice')
    if (alice === undefined) throw new Error('alice is missing')
    alice.active = false
    const { status } = await call('/balance', token)
    alice.active = true
    expect(status).toBe(401)
  })
})
