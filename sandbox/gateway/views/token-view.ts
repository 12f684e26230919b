import { html } from 'hono/html'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { moment } from '../../shared/moments'
import { facts, type Html } from '../../shared/page'

const MEANINGS: Readonly<Record<string, string>> = {
  sub: 'user id at the VASP',
  aud: 'for this VASP only',
  iss: 'issued by',
  exp: 'valid until (seconds since 1970)',
  address: 'UMA address',
  token_use: "kind of token, the VASP's own claim",
  jti: 'id of the token, for revoking it',
  scope: 'commands it can call',
}

/** A token's header and claims with their meaning; never its signature. */
export function tokenView(token: string): Html {
  const claims = Object.entries(decodeJwt(token))
  return facts([
    ['header', html`<code>${JSON.stringify(decodeProtectedHeader(token))}</code>`],
    ...claims.map(
      ([name, value]) =>
        [
          html`<code>${name}</code>`,
          html`${String(value)} <span class="label">${meaningOf(name, value)}</span>`,
        ] as const,
    ),
    ['length', html`${token.length} characters <span class="label">a gateway keeps at most 1,024</span>`],
  ])
}

function meaningOf(name: string, value: unknown): string {
  const end = name === 'exp' && typeof value === 'number' ? `, ${moment(value)}` : ''
  return `${MEANINGS[name] ?? ''}${end}`
}
