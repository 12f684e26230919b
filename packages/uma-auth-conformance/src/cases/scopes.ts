import { caseGroup, type ConformanceCase } from '../case.ts'
import { check, checkRefusal } from '../check.ts'
import { queryOf, type CaseContext } from '../context.ts'
import { API, SPEC } from '../sentences.ts'
import { PROBES } from './probes.ts'

const scopes = caseGroup(API, ['info.reply'])

/** A connection that was granted one command besides the two that every connection has. */
async function narrowToken(context: CaseContext): Promise<string> {
  const commands = await context.session.commands(context.client)
  const [other = 'get_balance'] = commands.filter((name) => name !== 'get_info' && name !== 'get_budget')
  return context.connectionToken('first', [other])
}

export const scopeCases: readonly ConformanceCase[] = [
  scopes.must('scopes.info', 'every connection may call GET /info', {
    source: SPEC.always,
    advice: 'Grant get_info to every connection, whatever the permissions say.',
    async run(context) {
      const { status } = await context.api({ path: '/info', token: await narrowToken(context) })
      check(status === 200, `GET /info answered ${status} to a connection without get_info.`)
    },
  }),
  scopes.must('scopes.budget-estimate', 'every connection may call GET /budget_estimate', {
    source: SPEC.always,
    advice: 'Grant get_budget to every connection, whatever the permissions say.',
    dependsOn: ['budget.reply'],
    async run(context) {
      const { code } = await context.defaultCurrency()
      const query = queryOf({ sending_currency_code: code, sending_currency_amount: 100, budget_currency_code: code })
      const { status } = await context.api({ path: `/budget_estimate?${query}`, token: await narrowToken(context) })
      check(status === 200, `GET /budget_estimate answered ${status} to a connection without get_budget.`)
    },
  }),
  scopes.option('scopes.enforced', 'refuses a command that the connection was not granted', {
    source: ['Authentication 5', 'Scopes are optional.'],
    advice:
      'Add a scope for each approved command to the token, check it on each request, and answer 403 with RESTRICTED.',
    async run(context) {
      const token = await context.connectionToken('first', ['get_info'])
      for (const name of await context.session.commands(context.client)) {
        if (name === 'get_info' || name === 'get_budget') continue
        const { method, path, body } = PROBES[name]
        const reply = await context.api({ method, path, body, token })
        check(reply.status === 403, `${method} ${path} answered ${reply.status} to a connection with get_info only.`)
        checkRefusal(reply, `${method} ${path}`, ['RESTRICTED'])
      }
    },
  }),
]
