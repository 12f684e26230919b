import { headers } from 'next/headers'
import type { Application } from '@/lib/backend/application'
import { openShownOnce, SHOWN_ONCE_HEADER } from '@/lib/web/shown-once'

/** The errors of the address with the provider's own words after ours, if the form's answer sealed them for this page. */
export async function withQuoted(
  { settings }: Pick<Application, 'settings'>,
  username: string,
  errors: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const sealed = (await headers()).get(SHOWN_ONCE_HEADER)
  const quoted = await openShownOnce(settings, username, '/wallets/send', sealed)
  if (quoted === undefined) return errors
  return Object.fromEntries(Object.entries(errors).map(([field, text]) => [field, `${text} ${quoted}`]))
}
