import { createServer, type RequestListener, type Server } from 'node:http'
import {
  CASES,
  htmlReport,
  jsonReport,
  junitReport,
  outcomeOf,
  resolveTarget,
  runConformance,
  signInByRecipe,
  summaryOf,
} from 'uma-auth-conformance'
import { afterEach, describe, expect, it } from 'vitest'

const RECIPE = { users: [{ steps: [{ fields: { name: 'alice', password: 'wonderland' } }] }] }

let server: Server | undefined

afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function runAgainst(listener: RequestListener | undefined, requestSeconds = 2) {
  let port = 1
  if (listener !== undefined) {
    const listening = createServer(listener)
    server = listening
    await new Promise<void>((resolve) => listening.listen(0, 'localhost', resolve))
    port = (listening.address() as { port: number }).port
  }
  return runConformance({
    target: resolveTarget({ vasp: `http://localhost:${port}`, gateway: 'http://localhost:9080' }),
    cases: CASES,
    signIn: signInByRecipe(RECIPE),
    signingKey: undefined,
    umaSender: undefined,
    invoice: undefined,
    paymentSeconds: 2,
    payments: true,
    uma: true,
    limits: { requestSeconds },
  })
}

type Run = Awaited<ReturnType<typeof runAgainst>>

/** A VASP that never answers says nothing about the specification: no case fails. */
function expectNotRun(report: Run, reason: RegExp): void {
  expect(report.results).toHaveLength(CASES.length)
  expect(new Set(report.results.map(({ status }) => status))).toEqual(new Set(['not-run']))
  expect(outcomeOf(report)).toEqual({ exitCode: 2, text: expect.stringMatching(reason) as unknown })
  for (const text of [htmlReport(report, CASES), jsonReport(report), junitReport(report)])
    expect(text).toContain('Could not run. ')
}

/** Every case has a verdict, and the kit itself did not fail. */
function expectVerdicts(report: Run, reason: RegExp): void {
  const { results } = report
  expect(results).toHaveLength(CASES.length)
  expect(summaryOf(report).passed).toBe(false)
  expect(results.filter(({ reason: given }) => given.includes('an error of the kit'))).toEqual([])
  expect(results.find(({ id }) => id === 'discovery.served')).toMatchObject({
    status: 'fail',
    reason: expect.stringMatching(reason) as unknown,
  })
  expect(results.find(({ id }) => id === 'exchange.token')).toMatchObject({
    status: 'not-run',
    reason: expect.stringMatching(/^(depends on login\.sign-in|the run ended early)$/) as unknown,
  })
  for (const text of [htmlReport(report, CASES), jsonReport(report), junitReport(report)])
    expect(text).toContain('discovery.served')
}

describe('a VASP that cannot be tested', () => {
  it('is not judged when nothing answers', async () => {
    expectNotRun(
      await runAgainst(undefined),
      /^Could not run\. (Nothing answers at|The request to) http:\/\/localhost:1/,
    )
  })

  it('is not judged when no answer comes', async () => {
    expectNotRun(
      await runAgainst(() => undefined, 0.2),
      /^Could not run\. No complete answer from http:\/\/localhost:\d+ within 0.2 seconds\. Start the VASP/,
    )
  })

  it('is not judged when it closes each connection', async () => {
    expectNotRun(
      await runAgainst((request) => request.socket.destroy()),
      /^Could not run\. The request to http:\/\/localhost:\d+ failed/,
    )
  })

  it('ends in verdicts when every answer is HTML', async () => {
    const report = await runAgainst((_request, response) =>
      response.setHeader('Content-Type', 'text/html').end('<h1>Bank</h1>'),
    )
    expectVerdicts(report, /not a JSON object/)
  })

  it('ends in verdicts when it redirects endlessly', async () => {
    const report = await runAgainst((_request, response) => response.writeHead(302, { Location: '/again' }).end())
    expectVerdicts(report, /answered 302/)
    expect(report.results.find(({ id }) => id === 'login.sign-in')?.reason).toMatch(/^More than 10 redirects in a row/)
  })

  it('ends in verdicts when every answer has 10 MB', async () => {
    const report = await runAgainst((_request, response) => response.end('x'.repeat(10_000_000)))
    expectVerdicts(report, /^The answer is larger than 1000000 bytes\.$/)
  })

  it('ends in verdicts when every answer is null', async () => {
    const report = await runAgainst((_request, response) =>
      response.setHeader('Content-Type', 'application/json').end('null'),
    )
    expectVerdicts(report, /not a JSON object/)
  })
})
