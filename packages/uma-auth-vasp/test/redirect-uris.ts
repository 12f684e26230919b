/** A redirect_uri for a gateway root, and the expected result: rejected, or the URL that the browser is sent to. */
export interface RedirectCase {
  readonly why: string
  readonly redirectUri: string
  /** Undefined: rejected. Otherwise the normalized URL, before `token` and `currency` are added. */
  readonly goesTo?: string
}

export const ROOT = 'https://gateway.example'
const ROUND = encodeURIComponent

export const REDIRECT_CASES: readonly RedirectCase[] = [
  { why: 'the gateway itself', redirectUri: 'https://gateway.example/cb', goesTo: 'https://gateway.example/cb' },
  { why: 'the root alone', redirectUri: 'https://gateway.example', goesTo: 'https://gateway.example/' },
  {
    why: 'upper-case scheme and host',
    redirectUri: 'HTTPS://GATEWAY.EXAMPLE/cb',
    goesTo: 'https://gateway.example/cb',
  },
  {
    why: 'the default port spelled out',
    redirectUri: 'https://gateway.example:443/cb',
    goesTo: 'https://gateway.example/cb',
  },
  {
    why: 'encoded twice, as a gateway site does',
    redirectUri: ROUND('https://gateway.example/auth/cb?fe_redirect=%2F'),
    goesTo: 'https://gateway.example/auth/cb?fe_redirect=%2F',
  },
  {
    why: 'a double slash stays on the same origin',
    redirectUri: 'https://gateway.example//evil.com',
    goesTo: 'https://gateway.example//evil.com',
  },
  {
    why: 'dots are normalized away',
    redirectUri: 'https://gateway.example/..//evil.com',
    goesTo: 'https://gateway.example//evil.com',
  },
  {
    why: 'nested query strings are not decoded',
    redirectUri: 'https://gateway.example/cb?next=https%3A%2F%2Fapp%3Fa%3D1%26b%3D2',
    goesTo: 'https://gateway.example/cb?next=https%3A%2F%2Fapp%3Fa%3D1%26b%3D2',
  },
  {
    why: 'an @ in the query is not user info',
    redirectUri: 'https://gateway.example/cb?uma=$alice@vasp',
    goesTo: 'https://gateway.example/cb?uma=$alice@vasp',
  },
  { why: 'a longer host', redirectUri: 'https://gateway.example.evil.com/' },
  { why: 'user info that looks like the host', redirectUri: 'https://gateway.example@evil.com/' },
  { why: 'an encoded dot in the host', redirectUri: 'https://gateway.example%2eevil.com/' },
  { why: 'a tab in the host', redirectUri: 'https://gateway.example\t.evil.com/' },
  { why: 'a trailing dot', redirectUri: 'https://gateway.example./cb' },
  { why: 'another port', redirectUri: 'https://gateway.example:8443/cb' },
  { why: 'a backslash', redirectUri: 'https://gateway.example\\@evil.com/' },
  { why: 'a fragment', redirectUri: 'https://gateway.example/cb#frag' },
  { why: 'an empty fragment', redirectUri: 'https://gateway.example/cb#' },
  { why: 'another scheme', redirectUri: 'http://gateway.example/cb' },
  { why: 'no scheme', redirectUri: '//gateway.example/cb' },
  { why: 'a path', redirectUri: '/cb' },
  { why: 'javascript', redirectUri: 'javascript://gateway.example/%0aalert(1)' },
  { why: 'data', redirectUri: 'data:text/html,hello' },
  { why: 'a scheme without slashes', redirectUri: 'https:gateway.example' },
  { why: 'a port that is not a number', redirectUri: 'https://gateway.example:80a/cb' },
  { why: 'the gateway in the query of another host', redirectUri: 'https://evil.com/?https://gateway.example/' },
  { why: 'three slashes and a user', redirectUri: 'https:///user:pw@gateway.example/' },
  { why: 'an encoded parent directory', redirectUri: 'https://gateway.example/a%2e%2e/b' },
  { why: 'an encoded backslash in the path', redirectUri: 'https://gateway.example/cb%5c..' },
  { why: 'a host with an extra hyphen', redirectUri: 'https://gateway.example-evil.com/' },
  { why: 'a subdomain', redirectUri: 'https://x.gateway.example/' },
  { why: 'a direction mark', redirectUri: 'https://gateway.example/\u202ecb' },
  { why: 'a full-width slash after the host', redirectUri: 'https://gateway.example／@evil.com/' },
  { why: 'one slash', redirectUri: 'https:/gateway.example/cb' },
  { why: 'a leading space', redirectUri: ' https://gateway.example/cb' },
  { why: 'an inner newline', redirectUri: 'https://gateway.example/c\nb' },
  { why: 'a NUL', redirectUri: 'https://gateway.example/\0' },
  { why: 'a space in the query', redirectUri: 'https://gateway.example/cb?a=b c' },
  { why: 'user and password', redirectUri: 'https://user:pw@gateway.example/' },
  { why: 'an empty user', redirectUri: 'https://@gateway.example/' },
  { why: 'a full-width dot', redirectUri: 'https://gateway。example/' },
  { why: 'a Cyrillic look-alike', redirectUri: 'https://gаteway.example/' },
  { why: 'its punycode', redirectUri: 'https://xn--gteway-7nf.example/' },
  { why: 'double encoding of user info', redirectUri: 'https%3A%2F%2Fgateway.example%40evil.com' },
  { why: 'triple encoding', redirectUri: ROUND(ROUND('https://gateway.example/cb')) },
  { why: 'a broken escape', redirectUri: '%E0%A4%A' },
  { why: 'an encoded leading space', redirectUri: '%20https%3A%2F%2Fgateway.example%2Fcb' },
  { why: 'an encoded slash in the path', redirectUri: 'https://gateway.example/cb%2f..' },
  { why: 'nothing', redirectUri: '' },
  { why: 'three slashes', redirectUri: 'https:///gateway.example/cb' },
  { why: 'four slashes', redirectUri: 'https:////gateway.example/cb' },
  { why: 'an encoded letter in the host', redirectUri: 'https://gatew%61y.example/cb' },
  { why: 'a soft hyphen encoded in the host', redirectUri: 'https://gate%C2%ADway.example/cb' },
  { why: 'a padded port', redirectUri: 'https://gateway.example:0443/cb' },
  { why: 'a colon without a port', redirectUri: 'https://gateway.example:/cb' },
  { why: 'three slashes, encoded twice', redirectUri: ROUND('https:///gateway.example/cb') },
  { why: 'a very long value', redirectUri: `https://gateway.example/${'a'.repeat(9_000)}` },
]
