import type { ConformanceCase } from './case.ts'
import { CaseContext } from './context.ts'
import { HttpClient, LIMITS, type Limits, type Meter } from './http.ts'
import { Session, type SessionOptions } from './session.ts'
import {
  CannotRun,
  Failure,
  isCommand,
  NEEDS,
  NotApplicable,
  NotRun,
  SetupFailure,
  type CaseResult,
  type FailOn,
  type Need,
  type Status,
} from './verdict.ts'

export interface RunOptions extends SessionOptions {
  readonly cases: readonly ConformanceCase[]
  /** Whether cases may move money. */
  readonly payments: boolean
  readonly uma: boolean
  /** Whether cases may wait minutes for an expiry. */
  readonly slow?: boolean
  /** The lowest level whose failure means that the VASP does not conform; `must` when absent. */
  readonly failOn?: FailOn
  /** The key that the VASP was started without. */
  readonly missingKey?: 'verification' | 'signing' | undefined
  readonly limits?: Partial<Limits>
  /** Called after each case that was started. */
  readonly onResult?: (result: CaseResult, done: number, total: number) => void
}

export interface Report {
  readonly vasp: string
  readonly startedAt: string
  readonly durationMs: number
  readonly results: readonly CaseResult[]
  readonly failOn: FailOn
  /** Why the kit could not reach the VASP or sign in. The cases after that are not run. */
  readonly obstacle?: string
}

const CASE_SECONDS = 30
/** A user who signs in by hand needs longer than a program. */
const INTERACTIVE_SECONDS = 600

/** Runs the cases in their order. Never rejects because of the VASP: each case ends in a verdict. */
export async function runConformance(options: RunOptions): Promise<Report> {
  const startedAt = new Date()
  const session = new Session(options)
  const meter: Meter = { bytes: 0, answers: 0, nextAt: 0, waitedMs: 0 }
  const results = new Map<string, CaseResult>()
  let obstacle: string | undefined
  for (const each of options.cases) {
    if (obstacle !== undefined) {
      results.set(each.id, leftOut(each))
      continue
    }
    const { result, ...rest } = await runCase(each, { options, session, meter, results })
    obstacle = rest.obstacle
    results.set(each.id, result)
    options.onResult?.(result, results.size, options.cases.length)
  }
  return {
    vasp: options.target.origin,
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    results: [...results.values()],
    failOn: options.failOn ?? 'must',
    ...(obstacle === undefined ? {} : { obstacle }),
  }
}

interface Run {
  readonly options: RunOptions
  readonly session: Session
  readonly meter: Meter
  readonly results: ReadonlyMap<string, CaseResult>
}

interface CaseRun {
  readonly result: CaseResult
  readonly obstacle?: string | undefined
}

function leftOut({ id, level, title }: ConformanceCase): CaseResult {
  return { id, level, title, status: 'not-run', reason: 'the run ended early', durationMs: 0, exchanges: [] }
}

async function runCase(each: ConformanceCase, run: Run): Promise<CaseRun> {
  const { options, session, meter, results } = run
  const startedAt = performance.now()
  const extra = options.signIn?.kind === 'interactive' ? INTERACTIVE_SECONDS : 0
  const seconds = (each.timeoutSeconds ?? CASE_SECONDS) + extra
  const deadline = new AbortController()
  const limits = { ...LIMITS, ...options.limits }
  const client = new HttpClient(limits, meter, deadline.signal, options.signIn?.secrets ?? [])
  const { status, reason, obstacle } = await verdictOf(each.id, async () => {
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
      client,
    )
  })
  const { id, level, title } = each
  const durationMs = Math.round(performance.now() - startedAt)
  return { result: { id, level, title, status, reason, durationMs, exchanges: client.exchanges }, obstacle }
}

/** The result of the first dependency that did not pass; one that does not apply takes precedence. */
function blockingResult({ dependsOn = [] }: ConformanceCase, results: Run['results']): CaseResult | undefined {
  const blocking = dependsOn.flatMap((id) => results.get(id) ?? []).filter(({ status }) => status !== 'pass')
  return blocking.find(({ status }) => status === 'not-applicable') ?? blocking[0]
}

interface Verdict {
  readonly status: Status
  readonly reason: string
  readonly obstacle?: string
}

async function verdictOf(id: string, work: () => Promise<void>): Promise<Verdict> {
  try {
    await work()
    return { status: 'pass', reason: '' }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (error instanceof CannotRun) return { status: 'not-run', reason, obstacle: reason }
    if (error instanceof NotApplicable) return { status: 'not-applicable', reason }
    if (error instanceof NotRun) return { status: 'not-run', reason }
    if (error instanceof SetupFailure && error.caseId !== id)
      return { status: 'not-run', reason: `depends on ${error.caseId}: ${reason}` }
    if (error instanceof Failure) return { status: 'fail', reason }
    const stack = error instanceof Error ? error.stack : reason
    return { status: 'fail', reason: `The case ended with an error of the kit: ${stack}` }
  }
}

/** What the client waited because of 429 or of the pace is added to the time of the case. */
async function withDeadline(
  work: () => Promise<void>,
  seconds: number,
  deadline: AbortController,
  client: HttpClient,
): Promise<void> {
  const startedAt = performance.now()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const arm = (): void => {
      const left = startedAt + seconds * 1_000 + client.waitedMs - performance.now()
      if (left > 0) timer = setTimeout(arm, left)
      else {
        deadline.abort()
        reject(new Failure(`The case took longer than ${seconds} seconds.`))
      }
    }
    arm()
  })
  try {
    await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Checks the needs that depend on the command's flags. Sends nothing. */
function requireGiven(need: Need, options: RunOptions): void {
  const { payments, slow = false, uma, umaSender, target, signingKey, signIn, missingKey, loginToken } = options
  const given: Partial<Record<Need, boolean>> = {
    payments,
    slow,
    uma,
    'uma-listener': umaSender !== undefined,
    'public-key': target.publicKey !== undefined,
    'signing-key': signingKey !== undefined,
    browser: signIn?.kind === 'recipe',
    'sign-out': signIn?.steps?.signOut !== undefined,
    revoke: signIn?.steps?.revoke !== undefined,
    'missing-verification-key': missingKey === 'verification',
    'missing-signing-key': missingKey === 'signing' && loginToken !== undefined,
    'second-user': signIn?.hasSecondUser === true,
  }
  if (given[need] === false && !isCommand(need)) throw new NotRun(`needs ${NEEDS[need]}`)
}

/** Checks the needs that depend on the VASP: it is asked for its gateway's root URL, or for its commands. */
async function requireOffered(need: Need, { session, client }: CaseContext): Promise<void> {
  if (need === 'gateway-root') await session.gatewayRoot(client)
  if (!isCommand(need)) return
  const commands = await session.commands(client)
  if (!commands.includes(need)) throw new NotApplicable(`the VASP does not advertise ${need}`)
}
