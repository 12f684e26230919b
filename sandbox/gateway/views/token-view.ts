import { html } from 'hono/html'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { moment } from '../../shared/moments'
import type { Html } from '../page'

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
  return html`<dl>
    <div>
      <dt>header</dt>
      <dd><code>${JSON.stringify(decodeProtectedHeader(token))}</code></dd>
    </div>
    ${claims.map(
      ([name, value]) =>
        html`<div>
          <dt><code>${name}</code></dt>
          <dd>${String(value)} <span class="label">${meaningOf(name, value)}</span></dd>
        </div>`,
    )}
    <div>
      <dt>length</dt>
      <dd>${token.length} characters <span class="label">a gateway keeps at most 1,024</span></dd>
    </div>
  </dl>`
}

function meaningOf(name: string, value: unknown): string {
  const end = name === 'exp' && typeof value === 'number' ? `, ${moment(value)}` : ''
  return `${MEANINGS[name] ?? ''}${end}`
}
