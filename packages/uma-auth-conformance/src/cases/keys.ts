import { caseGroup, type ConformanceCase } from '../case.ts'
import { check, checkStatus, fieldsOf, isRecord, show } from '../check.ts'
import { nowSeconds, signToken } from '../jwt.ts'
import { ERRORS, SPEC } from '../sentences.ts'

const keys = caseGroup(ERRORS, [])

/** Each runs against a VASP that was started without one of its keys. */
export const keyCases: readonly ConformanceCase[] = [
  keys.must('keys.verification', 'without a verification key, the API answers 500 and says that the key is missing', {
    source: SPEC.noVerificationKey,
    advice: 'Answer 500 with the text JWT public key not configured, or with JSON that has it as error.',
    needs: ['missing-verification-key'],
    async run(context) {
      const { audience: aud, issuer: iss } = context.target
      const token = signToken({ sub: 'user', aud, iss, exp: nowSeconds() + 300 }, context.session.foreignKey)
      const reply = await context.api({ path: '/info', token })
      checkStatus(reply, 500, 'GET /info')
      const text = isRecord(reply.json) ? reply.json.error : reply.text.trim()
      check(text === 'JWT public key not configured', `The text is ${show(text)}.`)
    },
  }),
  keys.must('keys.signing', 'without a signing key, the exchange answers 500 after its other checks', {
    source: SPEC.noSigningKey,
    advice:
      'Check the token, the user and the permissions first. Then answer 500 with {"error": …} that names the key.',
    needs: ['missing-signing-key'],
    async run({ session, client }) {
      const token = session.options.loginToken
      checkStatus(await session.exchange(client, undefined, {}), 401, 'The exchange without a token')
      checkStatus(await session.exchange(client, token, {}), 400, 'The exchange without permissions')
      const reply = await session.exchange(client, token, { permissions: ['get_info'] })
      checkStatus(reply, 500, 'The exchange')
      const { error } = fieldsOf(reply)
      check(typeof error === 'string' && /key/i.test(error), `The error is ${show(error)}, which names no key.`)
    },
  }),
]
