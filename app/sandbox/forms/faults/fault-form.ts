import { z } from 'zod'
import { sandboxForm } from '@/app/sandbox/sandbox-form'
import { CONNECTION_ID } from '@/lib/connections/queries'
import { plainText } from '@/lib/platform/http/responses'
import { connectionAddress } from '@/lib/web/connection-links'
import type { userForm } from '@/lib/web/form-handler'

export const ConnectionField = z.string().regex(CONNECTION_ID)

/** A form of the Faults section; 404 without the sandbox tools. After an error the browser returns to the connection. */
export function faultForm<Fields>(...[schema, run]: Parameters<typeof userForm<Fields>>) {
  return sandboxForm<Fields>(schema, run, ({ connection = '' }) => connectionAddress(connection))
}

export function noSuchConnection(): Response {
  return plainText(404, 'You have no such active connection. Nothing was changed.')
}
