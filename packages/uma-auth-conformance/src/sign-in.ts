import { spawn } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import { z } from 'zod'
import { Browser, type Visit } from './browser.ts'
import { readForms } from './forms.ts'
import type { HttpClient } from './http.ts'
import { CannotRun, Failure, NotRun } from './verdict.ts'

/** The users of a run. The second one receives payments, and owns data that the first may not see. */
export type UserName = 'first' | 'second'

export interface SignedIn {
  /** The first address below the gateway root that the VASP redirected to, with `token` and `currency`. */
  readonly returnedTo: string
  /** Holds the user's session; undefined when another program signed in. */
  readonly browser: Browser | undefined
}

export interface SignInRequest {
  readonly client: HttpClient
  readonly user: UserName
  /** The login address with its `redirect_uri`. */
  readonly loginUrl: string
  /** Whether an address belongs to the gateway. */
  readonly isGateway: (url: string) => boolean
  /** Submits the forms that another browser opened, without its cookies: so does an attacker's page. */
  readonly inOtherBrowser?: boolean
}

/** How the kit signs users in. */
export interface SignIn {
  readonly kind: 'recipe' | 'command' | 'interactive'
  readonly hasSecondUser: boolean
  /** Texts that reports must not show. */
  readonly secrets: readonly string[]
  /** Of a recipe: what a signed-in user can do besides. */
  readonly steps?: Readonly<Record<'signOut' | 'revoke', readonly Step[] | undefined>>
  /** @throws CannotRun when the recipe, the command or the user does not sign in; Failure for a fault of the VASP. */
  signIn(request: SignInRequest): Promise<SignedIn>
  close(): Promise<void>
}

const StepModel = z.strictObject({
  /** Opens this address first. */
  url: z.url().optional(),
  /** A part of the form's address, when the page has several forms with these fields. */
  form: z.string().optional(),
  /** Values by name; `env:NAME` reads an environment variable. */
  fields: z.record(z.string(), z.string()),
})
const RecipeModel = z.strictObject({
  users: z
    .array(z.strictObject({ steps: z.array(StepModel).min(1) }))
    .min(1)
    .max(2),
  /** How the first user signs out, in a browser that is signed in. */
  signOut: z.array(StepModel).min(1).optional(),
  /** How the first user ends all connections, or the newest one, in a browser that is signed in. */
  revoke: z.array(StepModel).min(1).optional(),
})
export type Recipe = z.output<typeof RecipeModel>
type Step = z.output<typeof StepModel>

/**
 * Reads a recipe from JSON and replaces `env:NAME`.
 * @throws Error with one line that names the field or the variable.
 */
export function readRecipe(text: string, env: Readonly<Record<string, string | undefined>>): Recipe {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new Error(`The sign-in recipe is not JSON: ${(error as Error).message}.`, { cause: error })
  }
  const parsed = RecipeModel.safeParse(json)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new Error(
      `The sign-in recipe is not valid at ${issue?.path.join('.') || 'its top level'}: ${issue?.message}.`,
    )
  }
  const valueOf = (value: string): string => {
    if (!value.startsWith('env:')) return value
    const found = env[value.slice(4)]
    if (!found)
      throw new Error(`The sign-in recipe reads the environment variable ${value.slice(4)}, which is not set.`)
    return found
  }
  const withValues = (step: Step): Step => ({
    ...step,
    fields: Object.fromEntries(Object.entries(step.fields).map(([name, value]) => [name, valueOf(value)])),
  })
  return { ...parsed.data, users: parsed.data.users.map(({ steps }) => ({ steps: steps.map(withValues) })) }
}

/** Fills in the VASP's sign-in forms as a browser would. */
export function signInByRecipe(recipe: Recipe): SignIn {
  return {
    kind: 'recipe',
    hasSecondUser: recipe.users.length > 1,
    secrets: recipe.users.flatMap(({ steps }) =>
      steps.flatMap(({ fields }) =>
        Object.entries(fields).flatMap(([name, value]) => (/pass|pin|secret|otp|code/i.test(name) ? [value] : [])),
      ),
    ),
    steps: { signOut: recipe.signOut, revoke: recipe.revoke },
    async signIn({ client, user, loginUrl, isGateway, inOtherBrowser = false }) {
      const opening = new Browser()
      const browser = inOtherBrowser ? new Browser() : opening
      let visit = await opening.visit(client, { url: loginUrl }, isGateway)
      for (const step of recipe.users[user === 'first' ? 0 : 1]?.steps ?? []) {
        if (visit.stoppedAt !== undefined) break
        if (step.url !== undefined) visit = await browser.visit(client, { url: step.url }, isGateway)
        if (visit.stoppedAt === undefined) visit = await submit({ client, browser, visit, step, user, isGateway })
      }
      if (visit.stoppedAt === undefined) {
        checkNoServerError(visit)
        throw new CannotRun(
          `Signing in the ${user} user ended at ${pageOf(visit)} instead of the gateway. Correct the user name, the password or the steps of the recipe.`,
        )
      }
      return { returnedTo: visit.stoppedAt, browser }
    },
    close: () => Promise.resolve(),
  }
}

/** Does the steps one after the other in a browser that is signed in. @throws NotRun when a page has no such form. */
export async function doSteps(client: HttpClient, browser: Browser, steps: readonly Step[]): Promise<void> {
  let visit: Visit | undefined
  for (const step of steps) {
    if (step.url !== undefined) visit = await browser.visit(client, { url: step.url })
    if (visit === undefined) throw new NotRun('needs a url in the first step of signOut and of revoke')
    try {
      visit = await submit({ client, browser, visit, step, user: 'first', isGateway: () => false })
    } catch (error) {
      throw error instanceof CannotRun ? new NotRun(`needs another recipe. ${error.message}`) : error
    }
  }
}

/** @throws Failure: a 5xx answer is a fault of the VASP, whatever the recipe states. */
function checkNoServerError(visit: Visit): void {
  if (visit.reply.status >= 500) throw new Failure(`Sign-in ended at ${pageOf(visit)}.`)
}

/** The page of a visit, without its query, which may hold a token. */
function pageOf({ reply: { url, status } }: Visit): string {
  return `${url.split('?', 1)[0]} (status ${status})`
}

function submit({
  client,
  browser,
  visit,
  step,
  user,
  isGateway,
}: {
  readonly client: HttpClient
  readonly browser: Browser
  readonly visit: Visit
  readonly step: Step
  readonly user: UserName
  readonly isGateway: (url: string) => boolean
}): Promise<Visit> {
  const { reply } = visit
  const names = Object.keys(step.fields)
  const form = readForms(reply.text, reply.url).find(
    ({ action, visible, values }) =>
      // A hidden field is not filled in: with the value that the step names, it tells the form from others.
      names.every((name) => visible.includes(name) || values[name] === step.fields[name]) &&
      action.includes(step.form ?? ''),
  )
  if (form === undefined) {
    checkNoServerError(visit)
    const wanted = names.length === 0 ? 'form' : `form with the fields ${names.join(', ')}`
    throw new CannotRun(
      `Signing in the ${user} user: the page ${pageOf(visit)} has no ${wanted}. Correct the recipe, or use --sign-in-command.`,
    )
  }
  const body = new URLSearchParams({ ...form.values, ...step.fields }).toString()
  if (form.method === 'GET') return browser.visit(client, { url: `${form.action.split('?', 1)[0]}?${body}` }, isGateway)
  const { origin } = new URL(reply.url)
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: origin, Referer: reply.url }
  return browser.visit(client, { method: 'POST', url: form.action, headers, body }, isGateway)
}

const COMMAND_SECONDS = 120

/**
 * Runs a program for each sign-in. The program receives the login address as `LOGIN_URL` and the user as `SIGN_IN_USER` (`first` or
 * `second`), and prints the address below the gateway root that the VASP redirects to. It must not open that address.
 */
export function signInByCommand(command: string, hasSecondUser: boolean): SignIn {
  return {
    kind: 'command',
    hasSecondUser,
    secrets: [],
    async signIn({ user, loginUrl, isGateway }) {
      const printed = await outputOf(command, { LOGIN_URL: loginUrl, SIGN_IN_USER: user })
      const returnedTo = printed.split(/\s+/).find((word) => URL.canParse(word) && isGateway(word))
      if (returnedTo === undefined)
        throw new CannotRun(
          `The sign-in command printed no address of the gateway for the ${user} user. It must print the address of the last redirect.`,
        )
      return { returnedTo, browser: undefined }
    },
    close: () => Promise.resolve(),
  }
}

function outputOf(command: string, env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, {
      shell: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: COMMAND_SECONDS * 1000,
      env: { ...process.env, ...env },
    })
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0
        ? resolve(printed)
        : reject(
            new CannotRun(
              `The sign-in command ended with ${code ?? 'a signal'}. It must sign in and exit with code 0.`,
            ),
          ),
    )
  })
}

const INTERACTIVE_SECONDS = 300

/**
 * Listens in place of the gateway and asks the user to sign in with a browser.
 * @param say prints one line to the user.
 */
export async function signInInteractively(root: URL, say: (line: string) => void): Promise<SignIn> {
  let arrived: (url: string) => void = () => undefined
  const server = await listen(root, (url) => arrived(url))
  return {
    kind: 'interactive',
    hasSecondUser: true,
    secrets: [],
    async signIn({ user, loginUrl, isGateway }) {
      say(`Sign in as the ${user} user. In a private window, open:`)
      say(loginUrl)
      const returnedTo = await new Promise<string>((resolve, reject) => {
        const late = (): void => reject(new CannotRun(`No user signed in within ${INTERACTIVE_SECONDS} seconds.`))
        const timer = setTimeout(late, INTERACTIVE_SECONDS * 1000)
        arrived = (url) => {
          if (!isGateway(url) || !new URL(url).searchParams.has('token')) return
          clearTimeout(timer)
          resolve(url)
        }
      })
      return { returnedTo, browser: undefined }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function listen(root: URL, arrived: (url: string) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      response.setHeader('Content-Type', 'text/plain; charset=utf-8')
      response.end('Signed in. You can close this window and return to the terminal.')
      arrived(new URL(request.url ?? '/', root).href)
    })
    server.once('error', reject)
    server.listen(Number(root.port || 80), root.hostname, () => resolve(server))
  })
}
