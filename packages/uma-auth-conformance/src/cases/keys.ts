import type { ConformanceCase } from '../case.ts'
import { check, checkStatus, fieldsOf, isRecord, show } from '../check.ts'
import { nowSeconds, signToken } from '../jwt.ts'

/** Each runs against a VASP that was started without one of its keys. */
export const keyCases: readonly ConformanceCase[] = [
  {
    id: 'keys.verification',
    level: 'must',
    title: 'without a verification key, the API answers 500 and says that the key is missing',
    paragraph: 'Errors',
    quote: '| Verification public key not configured | 500 | Text `JWT public key not configured` |',
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
  },
  {
    id: 'keys.signing',
    level: 'must',
    title: 'without a signing key, the exchange answers 500 after its other checks',
    paragraph: 'Errors',
    quote: '| Token exchange: signing private key not configured | 500 | JSON `error` stating the key is not set |',
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
  },
]
