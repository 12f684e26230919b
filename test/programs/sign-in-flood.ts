// Posts this many sign-ins at once, each
// with a different name, and prints the answers. Arguments: origin, csrf token, cookie, number.
import { argv } from 'node:process'

const [origin = '', csrfToken = '', cookie = '', count = '0'] = argv.slice(2)

async function post(index: number): Promise<string | null> {
  const response = await fetch(`${origin}/api/auth/callback/credentials`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: cookie, Origin: origin },
    body: new URLSearchParams({ csrfToken, username: `name-${index}`, password: 'wrong' }),
  })
  if (response.status === 503) return `503, retry after ${response.headers.get('retry-after')} s`
  return new URL(response.headers.get('location') ?? '').searchParams.get('error')
}

console.log(JSON.stringify(await Promise.all(Array.from({ length: Number(count) }, (_, index) => post(index)))))
