import { createPrivateKey, type KeyObject } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { readArguments, USAGE, type Arguments } from './arguments.ts'
import { caseList, explanation } from './case-list.ts'
import type { ConformanceCase } from './case.ts'
import { CASES } from './cases/index.ts'
import { htmlReport } from './report-html.ts'
import { closing, progressWriter, type Terminal } from './report-terminal.ts'
import { jsonReport, junitReport, outcomeOf } from './report.ts'
import { runConformance, type Report } from './runner.ts'
import { readRecipe, signInByCommand, signInByRecipe, signInInteractively, type SignIn } from './sign-in.ts'
import { resolveTarget, type Target } from './target.ts'
import { startUmaSender } from './uma-sender.ts'
import { areaOf } from './verdict.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The answer to a payment may take longer than other answers. */
const PAYMENT_SECONDS = 60

/**
 * Runs the command line and writes its reports.
 * @returns the exit code: 0 conforms, 1 does not conform, 2 could not run.
 */
export async function runCommandLine(
  args: readonly string[],
  env: Environment,
  terminal: Terminal,
): Promise<0 | 1 | 2> {
  try {
    const given = readArguments(args)
    if (given === 'help') terminal.write(`${USAGE}\n`)
    else if (given.values.list === true) terminal.write(caseList(selected(given)))
    else if (given.values.explain !== undefined) terminal.write(explanation(caseNamed(given.values.explain)))
    else return outcomeOf(await run(given, env, terminal)).exitCode
    return 0
  } catch (error) {
    terminal.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return 2
  }
}

async function run(given: Arguments, env: Environment, terminal: Terminal): Promise<Report> {
  const { values } = given
  const cases = selected(given)
  const target = resolveTarget({
    ...values,
    jwtPublicKey: readGiven('--jwt-public-key', values['jwt-public-key']),
    config: readGiven('--config', values.config),
  })
  const signingKey = readSigningKey(values['test-signing-key'])
  const umaOrigin = readOrigin('--uma-listen', values['uma-listen'])
  const signIn = await signInOf(given, target, env, terminal)
  const umaSender = umaOrigin === undefined ? undefined : await startUmaSender(umaOrigin)
  terminal.write(announcement(given, target, cases))
  const progress = progressWriter(terminal)
  try {
    const report = await runConformance({
      target,
      cases,
      signIn,
      signingKey,
      umaSender,
      invoice: values.invoice,
      missingKey: given.missingKey,
      loginToken: values['login-token'],
      payments: values.payments === true,
      slow: values.slow === true,
      failOn: given.failOn,
      uma: values.uma === true || umaSender !== undefined,
      paymentSeconds: Math.max(PAYMENT_SECONDS, given.timeoutSeconds),
      limits: { requestSeconds: given.timeoutSeconds, requestsPerSecond: given.requestsPerSecond },
      onResult: progress.add,
    })
    progress.end()
    terminal.write(closing(report, cases))
    writeReports(given, report, cases, terminal)
    return report
  } finally {
    await signIn?.close()
    await umaSender?.close()
  }
}

function announcement(given: Arguments, target: Target, cases: readonly ConformanceCase[]): string {
  const money =
    given.values.payments === true
      ? `It moves money from the first user to the second: about 60 payments of at most 5,000 satoshis.${given.values.invoice === undefined ? '' : ' It pays the given invoice.'}`
      : 'It moves no money. It creates connections and unpaid invoices.'
  const key = target.publicKey === undefined ? 'Without --jwt-public-key, signatures are not checked.\n' : ''
  return `${cases.length} cases against ${target.origin} (API ${target.api}). ${money}\n${key}`
}

function writeReports(given: Arguments, report: Report, cases: readonly ConformanceCase[], terminal: Terminal): void {
  const reports = [
    [given.values.html, () => htmlReport(report, cases)],
    [given.values.junit, () => junitReport(report)],
    [given.values.json, () => jsonReport(report)],
  ] as const
  for (const [file, text] of reports) {
    if (file === undefined) continue
    writeFileSync(file, text())
    terminal.write(`Report: ${file}\n`)
  }
}

async function signInOf(
  { values, missingKey }: Arguments,
  target: Target,
  env: Environment,
  terminal: Terminal,
): Promise<SignIn | undefined> {
  if (missingKey !== undefined) return undefined
  const { 'sign-in': recipe, 'sign-in-command': command, interactive } = values
  if (recipe !== undefined) return signInByRecipe(readRecipe(readGiven('--sign-in', recipe) ?? '', env))
  if (command !== undefined) return signInByCommand(command, values['second-user'] === true)
  if (interactive !== true)
    throw new Error('Tell the kit how to sign in: --sign-in FILE, --sign-in-command COMMAND or --interactive.')
  if (target.gatewayRoot === undefined)
    throw new Error(
      '--interactive needs --gateway http://localhost:PORT, where the kit listens. Set the same address as the gateway root of the VASP.',
    )
  terminal.write(`Set the gateway root of the VASP to ${target.gatewayRoot.href.replace(/\/$/, '')} for this run.\n`)
  return signInInteractively(target.gatewayRoot, (line) => terminal.write(`${line}\n`))
}

function selected({ only, skip, missingKey }: Arguments): ConformanceCase[] {
  // Nothing else works without a key.
  if (missingKey !== undefined) return CASES.filter(({ id }) => id === `keys.${missingKey}`)
  for (const name of [...only, ...skip])
    if (!CASES.some((each) => isNamed(each, name)))
      throw new Error(`There is no case or area ${name}. The flag --list prints all of them.`)
  const named = only.length === 0 ? CASES : CASES.filter((each) => only.some((name) => isNamed(each, name)))
  const chosen = withDependencies(named)
  return chosen.filter((each) => !skip.some((name) => isNamed(each, name)))
}

/** Without its dependencies, a case would also judge their requirements, for example that the VASP offers a command. */
function withDependencies(cases: readonly ConformanceCase[]): ConformanceCase[] {
  const wanted = new Set<string>()
  const add = ({ id, dependsOn = [] }: ConformanceCase): void => {
    if (wanted.has(id)) return
    wanted.add(id)
    for (const each of CASES) if (dependsOn.includes(each.id)) add(each)
  }
  cases.forEach(add)
  return CASES.filter(({ id }) => wanted.has(id))
}

function isNamed(each: ConformanceCase, name: string): boolean {
  return each.id === name || areaOf(each) === name
}

function caseNamed(id: string): ConformanceCase {
  const found = CASES.find((each) => each.id === id)
  if (found === undefined) throw new Error(`There is no case ${id}. The flag --list prints all of them.`)
  return found
}

function readOrigin(flag: string, text: string | undefined): URL | undefined {
  if (text === undefined) return undefined
  if (!/^http:\/\/[^/]+\/?$/.test(text) || !URL.canParse(text))
    throw new Error(`${flag} ${text} is not an origin, such as http://localhost:4999.`)
  return new URL(text)
}

function readSigningKey(path: string | undefined): KeyObject | undefined {
  const pem = readGiven('--test-signing-key', path)
  try {
    return pem === undefined ? undefined : createPrivateKey(pem)
  } catch (error) {
    throw new Error(`--test-signing-key ${path} holds no private key: give a PEM file with a P-256 key.`, {
      cause: error,
    })
  }
}

function readGiven(flag: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(`${flag} ${path} cannot be read (${code ?? message}): give a file that exists.`, { cause: error })
  }
}
