import { caseGroup, type ConformanceCase } from '../case.ts'
import { check, checkRefusal, show } from '../check.ts'
import { API, ERRORS } from '../sentences.ts'
import { COMMANDS, NotApplicable } from '../verdict.ts'
import { PROBES } from './probes.ts'

const errors = caseGroup(ERRORS, ['info.reply'])

/** `at file:1:2`, or the part of `at name (/folder/file:1:2)` in brackets. */
const STACK_FRAME = /\bat [^\s(]*:\d+:\d+|\((?:\/|file:|node:)[^\s(]*:\d+:\d+/
const FILE_NAME = /node_modules|Traceback|\.(?:py|[cm]?[jt]s|rb|go):\d+/

export const errorCases: readonly ConformanceCase[] = [
  errors.should('errors.not-advertised', 'answers NOT_IMPLEMENTED to a command that is not advertised', {
    source: [API, 'An app that asks for such a command learns why it fails.'],
    advice: 'Answer 501 with {"code":"NOT_IMPLEMENTED","message": …} at the endpoints that you leave out.',
    async run(context) {
      const commands = await context.session.commands(context.client)
      const missing = COMMANDS.filter((name) => !commands.includes(name))
      if (missing.length === 0) throw new NotApplicable('the VASP advertises all twelve commands')
      for (const name of missing) {
        const { method, path, body } = PROBES[name]
        checkRefusal(await context.api({ method, path, body }), `${method} ${path}`, ['NOT_IMPLEMENTED', 'NOT_FOUND'])
      }
    },
  }),
  errors.should('errors.unknown-path', 'answers an unknown path with 404 and a short body', {
    source: 'The gateway passes the whole body on to the app, even an HTML page.',
    advice: 'Answer 404 with {"code":"NOT_FOUND","message": …} below the API base.',
    async run(context) {
      const reply = await context.api({ path: '/no-such-endpoint' })
      check(reply.status === 404, `GET /no-such-endpoint answered ${reply.status} instead of 404.`)
      check(!/^\s*</.test(reply.text), `GET /no-such-endpoint answered HTML: ${show(reply.text)}.`)
    },
  }),
  errors.should('errors.other-method', 'answers 405 to another method on a known path', {
    source: ['RFC 9110, 15.5.6', 'A request with an unintended method must not cause a payment.'],
    advice: 'Answer 405 with Allow.',
    async run(context) {
      const { status } = await context.api({ method: 'POST', path: '/info', body: {} })
      check(status === 405 || status === 404, `POST /info answered ${status} instead of 405.`)
    },
  }),
  errors.should('errors.content-type', 'errors and answers are application/json', {
    source: ['Endpoints', 'Bodies are JSON.'],
    advice: 'Answer with Content-Type: application/json.',
    async run(context) {
      for (const path of ['/info', '/budget_estimate']) {
        const type = (await context.api({ path })).headers.get('content-type') ?? ''
        check(/^application\/json\b/i.test(type), `GET ${path} answered with Content-Type ${show(type)}.`)
      }
    },
  }),
  errors.should('errors.no-store', 'answers of the API are not cached', {
    source: ['RFC 9111, 5.2.2.5', 'Sooner or later, a cached balance reaches another user.'],
    advice: 'Answer with Cache-Control: no-store.',
    async run(context) {
      const cache = (await context.api({ path: '/info' })).headers.get('cache-control') ?? ''
      check(/\b(no-store|private)\b/i.test(cache), `Cache-Control of GET /info is ${show(cache)}.`)
    },
  }),
  errors.gateway('errors.input', 'invalid input is answered with a code and a message', {
    source: 'The gateway passes {"code", "message"} on to the app. It turns any other body into OTHER.',
    advice: 'Answer 400 with {"code":"OTHER","message": …}. The ten codes are those of NIP-47.',
    dependsOn: ['budget.reply'],
    run: async (context) =>
      checkRefusal(await context.api({ path: '/budget_estimate' }), 'GET /budget_estimate without parameters'),
  }),
  errors.should('errors.no-internals', 'errors show no stack trace and no file name', {
    source: ['OWASP ASVS 7.4.1', 'A stack trace tells an attacker what runs here.'],
    advice: 'Write the cause to your log and answer with a sentence of your own.',
    async run(context) {
      const replies = [
        await context.api({ path: '/budget_estimate?sending_currency_amount=1e400' }),
        await context.api({ method: 'POST', path: '/invoice', body: 'not JSON' }),
        await context.api({ path: '/invoices/%00' }),
        await context.api({ path: '/receiver/lud16/%F0%9F%92%A9' }),
      ]
      for (const { text, url } of replies)
        check(
          !STACK_FRAME.test(text) && !FILE_NAME.test(text),
          `${new URL(url).pathname} shows internals: ${show(text)}.`,
        )
    },
  }),
]
