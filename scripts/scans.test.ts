import { bech32 } from '@scure/base'
import { describe, expect, it } from 'vitest'
import { isCsrfCookie } from '@/lib/accounts/sign-in/csrf'
import { maskBody, maskText } from '@/lib/events/mask'
import { decodeInvoice } from '@/lib/lightning/bolt11'
import { withoutOddFields } from '@/lib/lightning/invoice-fields'
import { parseUnits } from '@/lib/money/format'
import { localUrl } from '@/lib/platform/http/local-url'
import { clientAddress, parseNetworks } from '@/lib/platform/http/networks'
import { isApiPath, isUmaPath, parsedPath, rejectMalformed } from '@/lib/platform/http/request-validation'
import { scrub } from '@/lib/platform/log'
import { isPublicHostName } from '@/lib/platform/net/allowed-host'
import { parseJson } from '@/lib/platform/parse-json'
import { isVisibleLine, visibleLines, visibleText, withHiddenEscaped } from '@/lib/platform/visible-text'
import { loginUrlOfPage } from '@/lib/sandbox/gateway-kit/gateway-server'
import { readTestMemo } from '@/lib/sandbox/test-values/memos'
import { isMasked, prettyJson } from '@/lib/sandbox/wire/details'
import { readWireQuery } from '@/lib/sandbox/wire/filter'
import { parseAddress } from '@/lib/uma/address'
import { refusalForLog } from '@/lib/uma/client/remote-vasp'
import { decodeUmaInvoice } from '@/lib/uma/invoices/codec'
import { readFields } from '@/lib/uma/invoices/tlv'
import { readKeyDocument } from '@/lib/uma/keys/read-keys'
import { readPlainLookUp, readUmaLookUp } from '@/lib/uma/messages/receiver-message'
import { registrableDomain } from '@/lib/uma/registrable-domain'
import { rosetteOf } from '@/lib/web/rosette'
import { readBolt11 } from '@/packages/uma-auth-conformance/src/bolt11'
import { CookieJar } from '@/packages/uma-auth-conformance/src/cookies'
import { readForms } from '@/packages/uma-auth-conformance/src/forms'
import { decodeToken } from '@/packages/uma-auth-conformance/src/jwt'
import { maskText as maskForReport, maskHeader } from '@/packages/uma-auth-conformance/src/mask'
import { writtenAsFloat } from '@/packages/uma-auth-conformance/src/models'
import { checkRedirectUri, originForLog, returnAddress } from '@/packages/uma-auth-vasp/src/redirect-uri'
import { matchPath, splitUrl } from '@/packages/uma-auth-vasp/src/request'
import { fitPage } from '@/packages/uma-auth-vasp/src/transaction-page'
import { readGatewayConfig } from '@/sandbox/gateway-command/gateway-config'
import { parseMoney } from '@/sandbox/gateway/money-text'
import { Client, Hub } from '@/sandbox/relay/hub'
import { parsePairingUri } from '@/sandbox/shop/pairing-uri'
import { redact } from '@/sandbox/shop/redact'
import { parseUmaAddress } from '@/sandbox/shop/uma-address'
import { PIECES, repeated, runForEach } from '@/test/texts/repetitions'

const GATEWAY = new URL('https://gateway.example/nwc')
const PROXIES = parseNetworks('127.0.0.1') ?? []
const NOW = new Date('2026-01-01T00:00:00Z')

/** Code that reads text of strangers in its own loops, splits, recursion or several patterns. */
const SCANS: Readonly<Record<string, (text: string) => unknown>> = {
  'the mask of a stored body': maskBody,
  'the mask of a stored text': (text) => maskText(text, text.length),
  'the mask of a text that is cut': (text) => maskText(text, 8_000),
  'the secrets of a log line': scrub,
  'the log line of a refusal': refusalForLog,
  'JSON of another VASP': parseJson,
  'a lookup answer': (text) => [readUmaLookUp(parseJson(text)), readPlainLookUp(parseJson(text))],
  'a key document': (text) => readKeyDocument(text, NOW),
  'a text on a page': (text) => [visibleText(text), visibleLines(text), isVisibleLine(text), withHiddenEscaped(text)],
  'a stored body on a page': (text) => [isMasked(text), prettyJson(text)],
  'a filter of the Wire': (text) => readWireQuery({ text }),
  'a Lightning invoice': (text) => decodeInvoice(text, 'regtest'),
  'the fields of a Lightning invoice': withoutOddFields,
  'a UMA invoice': decodeUmaInvoice,
  'the fields of a UMA invoice': (text) => readFields(Buffer.from(text)),
  'a UMA address': (text) => parseAddress(`$${text}@${text}`),
  'a registrable domain': registrableDomain,
  'a host of another VASP': isPublicHostName,
  'an amount': (text) => parseUnits(text, 2),
  'a memo': readTestMemo,
  'a rosette': rosetteOf,
  'a request line': (text) => {
    const url = `/${text}`
    const request = { url, method: 'GET', headers: { host: text }, rawHeaders: ['Host', text] }
    return [rejectMalformed(request, { publicOrigin: GATEWAY.origin }), isApiPath(url), isUmaPath(url), parsedPath(url)]
  },
  'an address of this origin': (text) => localUrl(`/${text}`, GATEWAY.origin),
  'X-Forwarded-For': (text) => clientAddress('127.0.0.1', text, PROXIES),
  'X-Forwarded-For that names only proxies': (text) => clientAddress('127.0.0.1', `${text},127.0.0.1`, PROXIES),
  'a CSRF cookie': (text) => isCsrfCookie(text, 'secret'),
  'a path of the API': (text) => [splitUrl(`http://${text}`), matchPath('GET', `/${text}`)],
  'a redirect_uri': (text) => {
    const url = `https://gateway.example/nwc?${text}`
    return [checkRedirectUri(text, GATEWAY, 'a'), checkRedirectUri(url, GATEWAY, 'a'), originForLog(text)]
  },
  'the query of a redirect_uri': (text) => returnAddress(new URL(`?${text}`, GATEWAY), 'token', {}),
  'the description of a transaction': (description) =>
    fitPage([{ description } as Parameters<typeof fitPage>[0][number]]),
  'the kit: a masked answer': (text) => [maskForReport(text, ['secret']), maskHeader('location', text, ['secret'])],
  'the kit: an invoice': readBolt11,
  'the kit: a token': decodeToken,
  'the kit: a page': (text) => readForms(`<form ${text}><input ${text}></form>${text}`, GATEWAY.href),
  'the kit: integers of an answer': writtenAsFloat,
  'the kit: cookies': (text) => {
    const jar = new CookieJar()
    jar.store(GATEWAY.href, [text, `a=1; domain=${text}`, `b=1; path=${text}`])
    return jar.headerFor(GATEWAY.href)
  },
  'the relay: a message': (text) => new Hub(() => 1).receive(new Client(() => undefined), text),
  'the page of a gateway': (text) => [
    loginUrlOfPage(text),
    loginUrlOfPage(`<meta name="uma-vasp-login-url" ${text}`),
    loginUrlOfPage(`${text}"uma-vasp-login-url"`),
  ],
  'the gateway: an amount': (text) => parseMoney(text, 2),
  'the gateway: a settings file': (text) => [
    readGatewayConfig(text, 'file'),
    readGatewayConfig(`VASP_NAME=${text}`, 'file'),
  ],
  'the shop: a shown exchange': redact,
  'the shop: a UMA address': parseUmaAddress,
  'the shop: a pairing address': (text) => parsePairingUri(`nostr+walletconnect:${text}`),
}

const LENGTH = 64 * 1024

/** JSON of 64 kB, the largest body. */
function* documents(): Generator<string> {
  const times = (piece: string, size = piece.length): string => piece.repeat(LENGTH / size)
  yield times('[', 2) + times(']', 2)
  yield `${times('{"a":', 6)}1${times('}', 6)}`
  for (const item of ['1', '""', '[]', '{}', '{"a":1}', 'null', '1e400', '"ey-"']) yield `[${times(`${item},`)}${item}]`
  yield `{${Array.from({ length: LENGTH / 12 }, (_, at) => `"${at.toString(36)}":1`).join(',')}}`
  yield `{${Array.from({ length: LENGTH / 20 }, (_, at) => `"token${at}":"a"`).join(',')}}`
  yield `["REQ","a",${times('{},')}{}]`
  for (const piece of PIECES) {
    const text = piece.repeat(LENGTH / piece.length)
    yield JSON.stringify({ memo: text, reason: text })
    yield JSON.stringify({ [text]: text })
  }
}

/** Invoices with a valid checksum whose fields are empty, or name a payee of no length. */
function* invoices(): Generator<string> {
  for (const [prefix, length] of [
    ['lnbcrt', 1_900],
    ['lnbcrt', LENGTH],
    ['uma', 1_900],
  ] as const)
    for (const fields of [[0], [19, 0, 0], [1, 1, 20], [31]])
      yield bech32.encode(
        prefix,
        Array.from({ length }, (_, at) => fields[at % fields.length] ?? 0),
        false,
      )
}

function* texts(): Generator<string> {
  for (const piece of PIECES) {
    const text = repeated(piece)
    yield text
    // Below the limits on length that make a reader refuse the text at once.
    yield text.slice(0, 2_000)
    yield text.slice(0, 250)
  }
  yield* documents()
  yield* invoices()
}

describe('A reader of text of strangers takes linear time', () => {
  it.each(Object.entries(SCANS))('%s', (_, scan) => {
    runForEach(texts(), (text) => {
      try {
        scan(text)
      } catch (error) {
        // A refusal. A scan that is stopped cannot catch it.
        if (error instanceof RangeError) throw error
      }
    })
  })

  it('also for a cookie jar that a provider fills', () => {
    const jar = new CookieJar()
    const lines = Array.from({ length: 200_000 }, (_, at) => `name${at}=1`)
    runForEach(['200,000 cookies'], () => jar.store(GATEWAY.href, lines))
    expect(jar.headerFor(GATEWAY.href)).toContain('name199999=1')
  })
})
