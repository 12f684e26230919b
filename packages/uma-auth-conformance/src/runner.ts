import type { ConformanceCase } from './case.ts'
import {
  COMMANDS,
  Failure,
  NotApplicable,
  NotRun,
  SetupFailure,
  type CaseResult,
  type Command,
  type Need,
  type Status,
} from './verdict.ts'
import { CaseContext } from './context.ts'
import { HttpClient, LIMITS, type Limits, type Meter } from './http.ts'
import { Session, type SessionOptions } from './session.ts'

export interface RunOptions extends SessionOptions {
  readonly cases: readonly ConformanceCase[]
  /** Whether cases may move money. */
  readonly payments: boolean
  readonly uma: boolean
  /** The key that the VASP was started without. */
  readonly missingKey?: 'verification' | 'signing' | undefined
  readonly limits?: Partial<Limits>
  /** Called after each case. */
  readonly onResult?: (result: CaseResult, done: number, total: number) => void
}

export interface Report {
  readonly vasp: string
  readonly startedAt: string
  readonly durationMs: number
  readonly results: readonly CaseResult[]
}

const CASE_SECONDS = 30
/** A user who signs in by hand needs longer than a program. */
const INTERACTIVE_SECONDS = 600

/** Runs the cases in their order. Never rejects because of the VASP: each case ends in a verdict. */
export async function runConformance(options: RunOptions): Promise<Report> {
  const startedAt = new Date()
  const session = new Session(options)
  const meter: Meter = { bytes: 0 }
  const results = new Map<string, CaseResult>()
  for (const each of options.cases) {
    const result = await runCase(each, { options, session, meter, results })
    results.set(each.id, result)
    options.onResult?.(result, results.size, options.cases.length)
  }
  return {
    vasp: options.target.origin,
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    results: [...results.values()],
  }
}

interface Run {
  readonly options: RunOptions
  readonly session: Session
  readonly meter: Meter
  readonly results: ReadonlyMap<string, CaseResult>
}

async function runCase(each: ConformanceCase, run: Run): Promise<CaseResult> {
  const { options, session, meter, results } = run
  const startedAt = performance.now()
  const extra = options.signIn?.kind === 'interactive' ? INTERACTIVE_SECONDS : 0
  const seconds = (each.timeoutSeconds ?? CASE_SECONDS) + extra
  const deadline = new AbortController()
  const limits = { ...LIMITS, ...options.limits }
  const client = new HttpClient(limits, meter, deadline.signal, options.signIn?.secrets ?? [])
  const [status, reason] = await verdictOf(each.id, async () => {
    const blocking = blockingResult(each, results)
    if (blocking?.status === 'not-applicable') throw new NotApplicable(blocking.reason)
    for (const need of each.needs ?? []) requireGiven(need, options)
    if (blocking !== undefined)
      throw new NotRun(blocking.status === 'not-run' ? blocking.reason : `depends on ${blocking.id}`)
    const context = new CaseContext(session, client)
    await withDeadline(
      async () => {
        for (const need of each.needs ?? []) await requireOffered(need, context)
        await each.run(context)
      },
      seconds,
      deadline,
    )
  })
  const { id, level, title } = each
  const durationMs = Math.round(performance.now() - startedAt)
  return { id, level, title, status, reason, durationMs, exchanges: client.exchanges }
}

/** The result of the first dependency that did not pass; one that does not apply comes first. */
function blockingResult({ dependsOn = [] }: ConformanceCase, results: Run['results']): CaseResult | undefined {
  const blocking = dependsOn.flatMap((id) => results.get(id) ?? []).filter(({ status }) => status !== 'pass')
  return blocking.find(({ status }) => status === 'not-applicable') ?? blocking[0]
}

async function verdictOf(id: string, work: () => Promise<void>): Promise<readonly [Status, string]> {
  try {
    await work()
    return ['pass', '']
  } catch (error) {
    if (error instanceof NotApplicable) return ['not-applicable', error.message]
    if (error instanceof NotRun) return ['not-run', error.message]
    if (error instanceof SetupFailure && error.caseId !== id)
      return ['not-run', `depends on ${error.caseId}: ${error.message}`]
    if (error instanceof Failure) return ['fail', error.message]
    return ['fail', `The case ended with an error of the kit: ${error instanceof Error ? error.stack : String(error)}`]
  }
}

async function withDeadline(work: () => Promise<void>, seconds: number, deadline: AbortController): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      deadline.abort()
      reject(new Failure(`The case took longer than ${seconds} seconds.`))
    }, seconds * 1000)
  })
  try {
    await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}

/** What the flags decide, without a request. */
function requireGiven(need: Need, options: RunOptions): void {
  const { payments, uma, umaSender, target, signingKey, signIn, missingKey, loginToken } = options
  const missing: Partial<Record<Need, string | false>> = {
    payments: !payments && 'moves money: needs --payments',
    uma: !uma && 'needs --uma',
    'uma-listener': umaSender === undefined && 'needs --uma-listen, at an address that the VASP can read',
    'public-key': target.publicKey === undefined && 'needs --jwt-public-key',
    'signing-key': signingKey === undefined && 'needs --test-signing-key',
    browser: signIn?.kind !== 'recipe' && 'needs --sign-in with a recipe',
    'missing-verification-key': missingKey !== 'verification' && 'needs --missing-key verification, after a restart',
    'missing-signing-key':
      (missingKey !== 'signing' || loginToken === undefined) &&
      'needs --missing-key signing and --login-token, after a restart',
    'second-user': signIn?.hasSecondUser !== true && 'needs a second user to sign in',
  }
  const reason = missing[need]
  if (typeof reason === 'string') throw new NotRun(reason)
}

/** What the VASP decides. */
async function requireOffered(need: Need, { session, client }: CaseContext): Promise<void> {
  if (need === 'gateway-root') await session.gatewayRoot(client)
  if (!isCommand(need)) return
  const commands = await session.commands(client)
  if (!commands.includes(need)) throw new NotApplicable(`the VASP does not advertise ${need}`)
}

function isCommand(need: Need): need is Command {
  return (COMMANDS as readonly string[]).includes(need)
}
