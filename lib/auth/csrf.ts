import { cookies } from 'next/headers'
import { deps } from '../deps'
import { cookieName } from './cookies'

/** The value for the sign-in form's `csrfToken` field, from the cookie that `proxy.ts` sees to. */
export async function csrfToken(): Promise<string> {
  const { settings } = deps()
  return (await cookies()).get(cookieName(settings, 'csrf'))?.value.split('|')[0] ?? ''
}
