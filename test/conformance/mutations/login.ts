import { answer, type Answer, type Call } from '../reference-vasp'
import { answers, atLogin, calls, example, instead, queryOf, withHeader, type Mutation, type Wrap } from './tools'

const redirectUriOf = (call: Call): string => queryOf(call).get('redirect_uri') ?? ''

function withRedirectUri(call: Call, value: string): Call {
  return { ...call, url: `/connect?${new URLSearchParams({ redirect_uri: value })}` }
}

/** Changes the parameters of the redirect to the gateway. */
function redirects(change: (parameters: URLSearchParams, call: Call) => void): Wrap {
  return answers(
    (call) => atLogin(call) || call.url === '/sign-in',
    (given, call) => {
      const location = given.headers.get('location')
      if (location === null) return given
      const url = new URL(location)
      change(url.searchParams, call)
      return withHeader(given, 'location', url.href)
    },
  )
}

const redirectTo = (location: string): Answer => answer(303, '', { Location: location })

/** Sends the browser to a redirect_uri that is not the gateway's. */
function follows(
  name: string,
  mistake: string,
  isFollowed: (redirectUri: string, root: string) => boolean,
  gatewayRoot?: string,
): Mutation {
  const wrap: Wrap = (next, _pair, root) => (call) => {
    const single = queryOf(call).getAll('redirect_uri').length === 1
    const given = redirectUriOf(call)
    if (!atLogin(call) || !single || !isFollowed(given, root)) return next(call)
    return Promise.resolve(redirectTo(`${encodeURI(given.replaceAll(/[\t\n]/g, ''))}?token=secret`))
  }
  const root = gatewayRoot === undefined ? {} : { gatewayRoot }
  return example(`login.${name}`, mistake, wrap, { vasp: { wrap, ...root } })
}

const ROOT_WITH_PATH = 'http://localhost:9080/nwc'

export const loginMutations: readonly Mutation[] = [
  example(
    'login.sign-in',
    'redirects without a token',
    redirects((parameters) => parameters.delete('token')),
  ),
  example(
    'login.signed-out',
    'gives a token to a browser without a session',
    instead(
      (call) => atLogin(call) && call.headers.get('cookie') === null && !redirectUriOf(call).includes('?'),
      (call) => redirectTo(`${redirectUriOf(call)}?token=secret`),
    ),
  ),
  example(
    'login.silent',
    'shows its sign-in page to a signed-in user',
    calls(atLogin, (call) => {
      const headers = new Headers(call.headers)
      headers.delete('cookie')
      return { ...call, headers }
    }),
  ),
  example(
    'login.currency',
    'sends the code as currency',
    redirects((parameters) => parameters.set('currency', 'SAT')),
  ),
  example(
    'login.currency-listed',
    'sends a currency that /info does not have',
    redirects((parameters) =>
      parameters.set('currency', JSON.stringify({ code: 'USD', symbol: '$', name: 'US Dollar', decimals: 2 })),
    ),
  ),
  example(
    'login.keeps-parameters',
    'drops empty parameters of redirect_uri',
    redirects((parameters) => {
      for (const [name, value] of Array.from(parameters)) if (value === '') parameters.delete(name)
    }),
  ),
  example(
    'login.nested-encoding',
    'decodes redirect_uri a second time',
    calls(
      (call) => atLogin(call) && redirectUriOf(call).includes('?redirect_uri='),
      (call) => withRedirectUri(call, decodeURIComponent(redirectUriOf(call))),
    ),
  ),
  example(
    'login.double-encoding',
    'refuses a redirect_uri that is encoded twice',
    instead(
      (call) => atLogin(call) && redirectUriOf(call).startsWith('http%3A'),
      () => answer(400, 'Invalid redirect_uri'),
    ),
  ),
  example(
    'login.replaces-token',
    'appends a second token',
    redirects((parameters, call) => {
      if (redirectUriOf(call).includes('token=attacker')) parameters.append('token', 'attacker')
    }),
  ),
  follows('foreign', 'redirects to any host', (uri) => /^https?:\/\/conformance\.example\//.test(uri)),
  follows('look-alike-suffix', 'compares the beginning of the text', (uri, root) => uri.startsWith(`${root}.`)),
  follows('look-alike-user-info', 'compares the beginning and allows user info after it', (uri, root) =>
    uri.startsWith(`${root}@`),
  ),
  follows('look-alike-port', 'compares the host without its port', (uri) => uri.startsWith('http://localhost:1/')),
  follows('look-alike-scheme', 'compares the host without the scheme', (uri) => uri.startsWith('https://localhost')),
  follows('look-alike-backslash', 'looks for the host anywhere in the address', (uri) => uri.includes('\\')),
  follows('look-alike-control', 'lets the URL parser remove control characters', (uri) => /[\t\n]/.test(uri)),
  follows('look-alike-encoded', 'decodes a second time after the check', (uri) => /^https?%3A.*conformance/.test(uri)),
  follows('relative', 'accepts an address without a scheme', (uri) => uri.startsWith('//')),
  follows('fragment', 'accepts a fragment', (uri) => uri.includes('#')),
  follows('look-alike-path', 'compares paths as texts', (uri, root) => uri.startsWith(`${root}evil`), ROOT_WITH_PATH),
  example(
    'login.refusal-text',
    'refuses with an error text of its own',
    answers(atLogin, (given) => (given.status === 400 ? { ...given, text: 'Bad request' } : given)),
  ),
  example(
    'login.missing',
    'treats a missing redirect_uri as the gateway root',
    (next, _pair, root) => (call) =>
      atLogin(call) && redirectUriOf(call) === '' ? Promise.resolve(redirectTo(`${root}/?token=secret`)) : next(call),
  ),
  example(
    'login.repeated',
    'takes the first of two redirect_uri parameters',
    calls(
      (call) => atLogin(call) && queryOf(call).getAll('redirect_uri').length > 1,
      (call) => withRedirectUri(call, redirectUriOf(call)),
    ),
  ),
  example(
    'login.head',
    'answers HEAD like GET',
    (next) => async (call) => next(atLogin(call) && call.method === 'HEAD' ? { ...call, method: 'GET' } : call),
  ),
  example(
    'login.no-store',
    'lets caches keep the redirect',
    answers(atLogin, (given) => withHeader(given, 'cache-control', undefined)),
  ),
  example(
    'login.no-referrer',
    'sends the address with the token as the referrer',
    answers(atLogin, (given) => withHeader(given, 'referrer-policy', undefined)),
  ),
]
